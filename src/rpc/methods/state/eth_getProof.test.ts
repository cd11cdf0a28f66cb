// Proofs that go-ethereum returned for mainnet, and reads of many slots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingVectors } from '../../../../test/fakes/chain-vectors.ts'
import {
  createMainnetProof,
  readMainnetProof,
  usdcSlot,
} from '../../../../test/fakes/upstream/mainnet-proof.ts'
import { runOperation } from '../../../../test/fakes/rpc-call.ts'
import { createStateNetwork } from '../../../../test/fakes/upstream/state-network.ts'
import { toHex } from '../../../base/hex.ts'
import { emptyTrieRoot, encodeAccountState } from '../../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { encodeRlp } from '../../../codec/ethereum/rlp.ts'
import { buildTrie } from '../../../codec/ethereum/trie-build.ts'
import { ethGetProof } from './eth_getProof.ts'
import { ethGetStorageValues } from './eth_getStorageValues.ts'

const skip = missingVectors
const [address, position] = usdcSlot
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** One contract: slot 0 is 7, slot 1 is 0x0100; its storage trie has two leaves under one branch. */
function createTwoSlots() {
  const slots = buildTrie(
    [
      [word(0), Uint8Array.of(7)],
      [word(1), Uint8Array.of(1, 0)],
    ].map(([slot, value]) => [
      keccak256(Buffer.from(String(slot).slice(2), 'hex')),
      encodeRlp(value as Uint8Array),
    ]),
  )
  const account = {
    nonce: 1n,
    balance: 5n,
    storageRoot: slots.root,
    codeHash: keccak256(slots.root),
  }
  const existing = new Uint8Array(20).fill(1)
  const state = buildTrie([[keccak256(existing), encodeAccountState(account)]])
  const network = createStateNetwork({
    root: state.root,
    nodes: [...state.nodes, ...slots.nodes],
  })
  return { network, state, slots }
}

const existing = `0x${'01'.repeat(20)}`
const absent = `0x${'02'.repeat(20)}`

test('a mainnet proof is built again node by node from what was kept', { skip }, async () => {
  const { network, params } = createMainnetProof()
  const answer = await runOperation(ethGetProof, network, [address, [position], params[2]])
  assert.deepEqual(answer.result, readMainnetProof())
  assert.deepEqual(answer.levels, ['proof'])
})

test(
  'a node of the proof that is missing or wrong is an error, never a shorter proof',
  { skip },
  async () => {
    const broken = createMainnetProof((items) =>
      items.map(({ ref, bytes }) =>
        ref.kind === 'trie-node'
          ? { ref, bytes: Uint8Array.of(...bytes.subarray(1), 0) }
          : { ref, bytes },
      ),
    )
    const params = [address, [position], broken.params[2]]
    await assert.rejects(runOperation(ethGetProof, broken.network, params), { code: 'unverified' })
    const { network } = createMainnetProof((items) =>
      items.filter(({ ref }) => ref.kind !== 'trie-node'),
    )
    await assert.rejects(runOperation(ethGetProof, network, params), { code: 'no_state' })
  },
)

test('absence is proved by the nodes on the way, and an empty trie by none', async () => {
  const { network, state } = createTwoSlots()
  const { result } = await runOperation(ethGetProof, network, [absent, ['0x0']])
  assert.deepEqual(result, {
    address: absent,
    accountProof: [toHex(state.nodes[0] as Uint8Array)],
    balance: '0x0',
    codeHash: '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    nonce: '0x0',
    storageHash: toHex(emptyTrieRoot),
    storageProof: [{ key: '0x0', value: '0x0', proof: [] }],
  })
})

test('a key of 32 bytes is shown as such, a shorter one as a quantity', async () => {
  const { network, slots } = createTwoSlots()
  const keys = ['0x00', '0x0', '', word(0), '0x1', word(2), `0x${'0'.repeat(63)}`, '0X01']
  const { result } = await runOperation(ethGetProof, network, [existing, keys])
  const { storageProof } = result as {
    storageProof: readonly { key: string; value: string; proof: readonly string[] }[]
  }
  assert.deepEqual(
    storageProof.map(({ key, value }) => [key, value]),
    [
      ['0x0', '0x7'],
      ['0x0', '0x7'],
      ['0x0', '0x7'],
      [word(0), '0x7'],
      ['0x1', '0x100'],
      [word(2), '0x0'],
      [word(0), '0x7'],
      ['0x1', '0x100'],
    ],
  )
  const root = slots.nodes.find((node) => toHex(keccak256(node)) === toHex(slots.root))
  assert(storageProof.every(({ proof }) => proof[0] === toHex(root as Uint8Array)))
})

test('keys are judged before anything is read', async () => {
  const { network } = createTwoSlots()
  const refused: readonly (readonly [unknown, string])[] = [
    [Array(1025).fill('0x0'), 'too many storage keys requested (max 1024, got 1025)'],
    ['0x0', 'invalid argument 1: json: cannot unmarshal string into Go value of type []string'],
    [[5], 'invalid argument 1: json: cannot unmarshal number into Go value of type string'],
    [['0xasdf'], 'invalid hex in storage key: "0xasdf"'],
  ]
  for (const [keys, message] of refused) {
    await assert.rejects(runOperation(ethGetProof, network, [existing, keys]), {
      code: 'bad_params',
      message,
    })
  }
  const most = await runOperation(ethGetProof, network, [existing, Array(1024).fill('0x1')])
  assert.equal((most.result as { storageProof: unknown[] }).storageProof.length, 1024)
  const none = await runOperation(ethGetProof, network, [existing, null])
  assert.deepEqual((none.result as { storageProof: unknown[] }).storageProof, [])
})

test('slots of several accounts are read at one block, in the order asked', async () => {
  const { network } = createTwoSlots()
  const request = { [existing]: [word(1), word(0), word(9)], [absent]: [word(0)] }
  const { result, levels } = await runOperation(ethGetStorageValues, network, [request])
  assert.deepEqual(result, { [existing]: [word(0x100), word(7), word(0)], [absent]: [word(0)] })
  assert.deepEqual(levels, ['proof'])
})

test('a request for no slots, too many or in no known form is refused', async () => {
  const { network } = createTwoSlots()
  const refused: readonly (readonly [unknown, string, string])[] = [
    [{}, 'bad_params', 'empty request'],
    [null, 'bad_params', 'empty request'],
    [{ [existing]: [] }, 'bad_params', 'empty request'],
    [
      { [existing]: Array(1000).fill(word(0)), [absent]: Array(25).fill(word(0)) },
      'over_slots',
      'too many slots (max 1024)',
    ],
    [
      [existing],
      'bad_params',
      'invalid argument 0: json: cannot unmarshal array into Go value of type map[common.Address][]common.Hash',
    ],
    [
      { [existing]: ['0x00'] },
      'bad_params',
      'invalid argument 0: hex string has length 2, want 64 for common.Hash',
    ],
  ]
  for (const [request, code, message] of refused) {
    await assert.rejects(runOperation(ethGetStorageValues, network, [request]), { code, message })
  }
})
