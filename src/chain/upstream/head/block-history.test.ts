import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStateNetwork } from '../../../../test/fakes/upstream/state-network.ts'
import { Fault } from '../../../base/fault.ts'
import { fromHex } from '../../../base/hex.ts'
import {
  absentAccount,
  emptyRequestsHash,
  emptyTrieRoot,
  encodeAccountState,
} from '../../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { encodeRlp } from '../../../codec/ethereum/rlp.ts'
import { buildTrie } from '../../../codec/ethereum/trie-build.ts'
import { findInHistory } from './block-history.ts'

const contract = fromHex('0x0000F90827F1C53a10cb7A02335B175320002935')
const latest = 20_000n
/** HISTORY_SERVE_WINDOW of EIP-2935: the hash of block n is in slot n modulo this. */
const window = 8191n

const hashOf = (number: bigint): Uint8Array => keccak256(encodeRlp(Buffer.from(String(number))))

function slotOf(number: bigint): Uint8Array {
  const slot = (number % window).toString(16).padStart(64, '0')
  return fromHex(`0x${slot}`)
}

/** The state after block `latest`, in which the contract holds the hashes of `numbers`. */
function network(numbers: readonly bigint[], requestsHash: Uint8Array | null = emptyRequestsHash) {
  const storage = buildTrie(
    numbers.map((number) => [keccak256(slotOf(number)), encodeRlp(hashOf(number))] as const),
  )
  const account = encodeAccountState({ ...absentAccount, nonce: 1n, storageRoot: storage.root })
  const state = buildTrie([[keccak256(contract), account]])
  return createStateNetwork({
    root: state.root,
    nodes: [...state.nodes, ...storage.nodes],
    header: {
      number: latest,
      baseFeePerGas: 7n,
      withdrawalsRoot: emptyTrieRoot,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: new Uint8Array(32),
      ...(requestsHash === null ? {} : { requestsHash }),
    },
  })
}

function find(chain: ReturnType<typeof network>, number: bigint): Promise<Uint8Array | null> {
  return findInHistory(chain, number, chain.head.latest(), new AbortController().signal)
}

test('hashes from the parent down to 8191 blocks back are in the state under the head', async () => {
  const available = [latest - 1n, latest - 100n, latest - window]
  const chain = network(available)
  for (const number of available) assert.deepEqual(await find(chain, number), hashOf(number))
})

test('a block further back, the head itself or a block above it is not found', async () => {
  const chain = network([latest - 1n, latest - window])
  for (const number of [latest - window - 1n, latest, latest + 1n]) {
    assert.equal(await find(chain, number), null)
  }
})

test('an empty slot, a chain before Prague and a state without a proof give null', async () => {
  const number = latest - 5n
  assert.equal(await find(network([latest - 1n]), number), null)
  assert.equal(await find(network([number], null), number), null)
  const chain = network([number])
  const withoutState: typeof chain.obtain = async (ref, hint, signal) => {
    if (ref.kind === 'trie-node') throw new Fault('unverified')
    return chain.obtain(ref, hint, signal)
  }
  assert.equal(await find({ ...chain, obtain: withoutState }, number), null)
})
