import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { missingVectors, readVector } from '../../../../test/fakes/chain-vectors.ts'
import { readMainnetProof, usdcSlot } from '../../../../test/fakes/upstream/mainnet-proof.ts'
import { fromHex, toHex } from '../../../base/hex.ts'
import {
  absentAccount,
  type AccountState,
  emptyTrieRoot,
  encodeAccountState,
} from '../../../codec/ethereum/account-state.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import { keccak256 } from '../../../codec/hash/keccak.ts'
import { Malformed, encodeInteger, encodeRlp } from '../../../codec/ethereum/rlp.ts'
import { buildTrie } from '../../../codec/ethereum/trie-build.ts'
import { walkProof } from '../../../codec/ethereum/trie-walk.ts'
import type { PeekNode } from '../../../content/ref.ts'
import { checkProof, createAccountProofMemory } from './check-proof.ts'
import { proofCaps, readProofReply } from './proof-reply.ts'

const word = (value: number) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)
const addressOf = (value: number) => keccak256(word(value)).subarray(12)

/** Slots 0 to 39 of the first account contain their number plus one; 200 more accounts. */
const storage = buildTrie(
  Array.from({ length: 40 }, (_, at) => [keccak256(word(at)), encodeRlp(encodeInteger(at + 1))]),
)
const account: AccountState = {
  ...absentAccount,
  nonce: 1n,
  balance: 77n,
  storageRoot: storage.root,
}
const state = buildTrie(
  Array.from({ length: 200 }, (_, at) => {
    const leaf = at === 0 ? account : { ...absentAccount, balance: BigInt(at) }
    return [keccak256(addressOf(at)), encodeAccountState(leaf)]
  }),
)
const address = addressOf(0)
const absentAddress = addressOf(1000)

/** The nodes on the path to `key`, as an honest node lists them. */
function prove({ root, nodes }: typeof state, key: Uint8Array): string[] {
  const byHash = new Map(nodes.map((node) => [toHex(keccak256(node)), node]))
  const path: string[] = []
  walkProof(root, keccak256(key), (hash) => {
    const node = byHash.get(toHex(hash)) ?? null
    if (node !== null) path.push(toHex(node))
    return node
  })
  return path
}

type Json = Record<string, unknown>
type Entry = { key: string; value: string; proof: string[] }
type Proof = Json & { accountProof: string[]; storageProof: Entry[] }

function honest(slots: readonly number[], of = address): Proof {
  const isHere = of === address
  return {
    address: toHex(of),
    accountProof: prove(state, of),
    balance: isHere ? '0x4d' : '0x0',
    nonce: isHere ? '0x1' : '0x0',
    codeHash: toHex(absentAccount.codeHash),
    storageHash: toHex(isHere ? storage.root : emptyTrieRoot),
    storageProof: slots.map((slot) => ({
      key: toHex(word(slot)),
      value: isHere && slot < 40 ? `0x${(slot + 1).toString(16)}` : '0x0',
      proof: isHere ? prove(storage, word(slot)) : [],
    })),
  }
}

/** Returns one in `share` of all nodes. */
function holding(share: number): PeekNode {
  const knownNodes = new Map(
    [...state.nodes, ...storage.nodes]
      .filter((_, at) => at % share === 0)
      .map((node) => [toHex(keccak256(node)), node.slice()]),
  )
  return (from, at) => knownNodes.get(toHex(from.subarray(at, at + 32))) ?? null
}

/** Shared by all checks in this file, so that most accounts were verified before. */
const judgedAccounts = createAccountProofMemory()

function judge(json: unknown, slots: readonly number[], of = address) {
  const target = { stateRoot: state.root, address: of, slots: slots.map(word) }
  const reply = readProofReply(json, slots.length)
  const judgement = checkProof(reply, target)
  // Cached nodes, all of them or a part, save work and do not change the result.
  for (const share of [1, 2, 3]) {
    const before = { peekNode: holding(share), accounts: judgedAccounts }
    assert.deepEqual(checkProof(reply, target, before), judgement)
  }
  return typeof judgement === 'string' ? judgement : 'lie'
}

test('honest proofs are complete, of existing and of absent values', () => {
  assert.equal(judge(honest([]), []), 'complete')
  assert.equal(judge(honest([3, 0, 39, 500]), [3, 0, 39, 500]), 'complete')
  assert.equal(judge(honest([3], absentAddress), [3], absentAddress), 'complete')
  assert.equal(judge({ ...honest([]), storageProof: null }, []), 'complete')
})

test('a proof of another address is invalid, with any address member', () => {
  const other = { ...honest([3], addressOf(5)), address: toHex(address) }
  assert.equal(judge(other, [3]), 'lie')
  assert.equal(judge({ ...honest([3], absentAddress), address: toHex(address) }, [3]), 'lie')
})

test('a proof of another slot is invalid; another order is valid; a missing slot is incomplete', () => {
  const other = honest([4])
  assert.equal(
    judge({ ...other, storageProof: [{ ...other.storageProof[0], key: word(3) }] }, [3]),
    'lie',
  )
  const swapped = honest([5, 9])
  assert.equal(
    judge({ ...swapped, storageProof: swapped.storageProof.toReversed() }, [5, 9]),
    'complete',
  )
  const { storageProof } = honest([5, 9])
  assert.equal(judge({ ...swapped, storageProof: storageProof.slice(0, 1) }, [5, 9]), 'short')
})

test('the spelling of a key has no effect', () => {
  const { storageProof, ...rest } = honest([3])
  for (const key of ['0x3', toHex(word(3)).toUpperCase().replace('X', 'x'), '3', null, undefined]) {
    assert.equal(judge({ ...rest, storageProof: [{ ...storageProof[0], key }] }, [3]), 'complete')
  }
})

test('a member that differs from the leaf is invalid, another spelling is not', () => {
  const proof = honest([3])
  const [entry] = proof.storageProof
  const lies: readonly Json[] = [
    { balance: '0x4e' },
    { nonce: '0x0' },
    { storageHash: toHex(emptyTrieRoot) },
    { codeHash: toHex(word(1)) },
    { storageProof: [{ ...entry, value: '0x5' }] },
    { storageProof: [{ ...entry, value: '0x0' }] },
    { storageProof: [{ ...entry, key: '0x3', value: '0x5' }] },
  ]
  for (const part of lies)
    assert.equal(judge({ ...proof, ...part }, [3]), 'lie', JSON.stringify(part))
  const spellings: readonly Json[] = [
    { balance: '0x00004d', nonce: toHex(word(1)) },
    { balance: undefined, nonce: null, codeHash: 'none' },
    { storageHash: `0x${toHex(storage.root).slice(2).toUpperCase()}` },
    { storageProof: [{ ...entry, value: toHex(word(4)) }] },
    { storageProof: [{ ...entry, value: '0x' }] },
    { codeHash: toHex(word(0)) },
  ]
  for (const part of spellings) assert.equal(judge({ ...proof, ...part }, [3]), 'complete')
  const absent = honest([], absentAddress)
  assert.equal(
    judge({ ...absent, codeHash: word(0), storageHash: word(0) }, [], absentAddress),
    'complete',
  )
  assert.equal(judge({ ...absent, balance: '0x1' }, [], absentAddress), 'lie')
})

test('an absent value is zero only with the nodes that prove it', () => {
  assert.equal(judge({ ...honest([500]), accountProof: [], storageProof: [] }, [500]), 'short')
  const { storageProof, ...rest } = honest([500])
  assert.equal(
    judge({ ...rest, storageProof: [{ ...storageProof[0], proof: [] }] }, [500]),
    'short',
  )
  assert.equal(
    judge({ ...honest([], absentAddress), accountProof: [] }, [], absentAddress),
    'short',
  )
})

test('a valid proof of another state root is invalid', () => {
  const target = { stateRoot: word(9), address, slots: [] }
  const judgement = checkProof(readProofReply(honest([]), 0), target)
  assert.deepEqual(judgement, { expected: toHex(word(9)), computed: toHex(state.root) })
})

test('cut proofs are incomplete; duplicates are ignored; extra, huge and malformed nodes are invalid', () => {
  const proof = honest([3])
  const { accountProof, storageProof } = proof
  const [entry] = storageProof
  assert.ok(entry !== undefined && accountProof.length >= 2)
  const storageOf = (nodes: readonly string[]) => ({ storageProof: [{ ...entry, proof: nodes }] })
  assert.equal(judge({ ...proof, accountProof: accountProof.slice(0, -1) }, [3]), 'short')
  assert.equal(judge({ ...proof, ...storageOf(entry.proof.slice(0, -1)) }, [3]), 'short')
  assert.equal(
    judge({ ...proof, accountProof: [...accountProof, ...accountProof] }, [3]),
    'complete',
  )
  assert.equal(judge({ ...proof, accountProof: accountProof.toReversed() }, [3]), 'complete')
  assert.equal(judge({ ...proof, ...storageOf(['0x80', ...entry.proof]) }, [3]), 'complete')
  const stray = prove(state, addressOf(7)).at(-1) ?? ''
  assert.equal(judge({ ...proof, accountProof: [...accountProof, stray] }, [3]), 'lie')
  const many = Array.from({ length: 10_000 }, (_, at) => toHex(keccak256(word(at))))
  assert.equal(judge({ ...proof, accountProof: [...accountProof, ...many] }, [3]), 'lie')
  const huge = `0x${'00'.repeat(proofCaps.bytesPerNode + 1)}`
  assert.equal(judge({ ...proof, accountProof: [...accountProof, huge] }, [3]), 'lie')
  assert.equal(judge({ ...proof, ...storageOf([...entry.proof, toHex(word(5))]) }, [3]), 'lie')
  const twice = { storageProof: [...storageProof, ...storageProof] }
  assert.equal(judge({ ...proof, ...twice }, [3]), 'lie')
})

test('entries beyond the size of a proof are not read', () => {
  const many = Array.from({ length: 10_000 }, () => toHex(word(1)))
  const reply = readProofReply({ ...honest([]), accountProof: many }, 0)
  assert.equal(reply.accountNodes, proofCaps.nodesPerList)
  assert.equal(reply.nodes.length, proofCaps.nodesPerList)
})

test('a reply of another shape is malformed', () => {
  const proof = honest([3])
  const shapes: readonly unknown[] = [
    null,
    [],
    'proof',
    {},
    { ...proof, accountProof: null },
    { ...proof, accountProof: [7] },
    { ...proof, storageProof: undefined },
    { ...proof, storageProof: [null] },
    { ...proof, storageProof: [{}] },
  ]
  for (const shape of shapes) assert.throws(() => readProofReply(shape, 1), Malformed)
})

test('nodes that are not hex of whole bytes prove nothing, and are not invalid', () => {
  const proof = honest([3])
  const { accountProof, storageProof } = proof
  for (const odd of ['', '0x', '0x1', '0xzz', 'node', `0x${'zz'.repeat(40)}`]) {
    const judged = judge({ ...proof, accountProof: [...accountProof.slice(0, -1), odd] }, [3])
    assert.equal(judged, 'short', odd)
    const nodes = [{ ...storageProof[0], proof: [odd] }]
    assert.equal(judge({ ...proof, storageProof: nodes }, [3]), 'short', odd)
  }
})

test('nodes in upper case prove as much, held or not', () => {
  const capital = (nodes: readonly string[]) =>
    nodes.map((node) => `0x${node.slice(2).toUpperCase()}`)
  const proof = honest([1, 50])
  const loud = {
    ...proof,
    accountProof: capital(proof.accountProof),
    storageProof: proof.storageProof.map((one) => ({ ...one, proof: capital(one.proof) })),
  }
  assert.equal(judge(loud, [1, 50]), 'complete')
  const [first = '', ...rest] = loud.accountProof
  assert.equal(judge({ ...loud, accountProof: [`0X${first.slice(2)}`, ...rest] }, [1, 50]), 'short')
})

test('an account is checked again if its list differs, and for another root or address', () => {
  const accounts = createAccountProofMemory()
  const before = { peekNode: holding(1), accounts }
  const target = { stateRoot: state.root, address, slots: [word(3)] }
  const proof = honest([3])
  for (const _ of [1, 2]) {
    assert.equal(checkProof(readProofReply(proof, 1), target, before), 'complete')
  }
  const known = accounts.find(state.root, address)
  assert.deepEqual(known?.texts, proof.accountProof)
  assert.deepEqual(known.account, account)
  assert.equal(accounts.find(word(9), address), null)
  const shouted = proof.accountProof.map((text) => `0x${text.slice(2).toUpperCase()}`)
  const again = readProofReply({ ...proof, accountProof: shouted }, 1)
  assert.equal(checkProof(again, target, before), 'complete')
  const cut = readProofReply({ ...proof, accountProof: proof.accountProof.slice(0, -1) }, 1)
  assert.equal(checkProof(cut, target, before), 'short')
  for (const other of [
    { ...target, stateRoot: word(9) },
    { ...target, address: addressOf(5) },
  ]) {
    assert.equal(typeof checkProof(readProofReply(proof, 1), other, before), 'object')
  }
})

test('a change of any byte of a node is detected', () => {
  const proof = honest([3])
  const lists = [proof.accountProof, proof.storageProof[0]?.proof ?? []]
  fc.assert(
    fc.property(
      fc.nat(1),
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (list, at, byte, change) => {
        const nodes = lists[list] ?? []
        const index = at % nodes.length
        const bytes = fromHex(nodes[index] ?? '')
        const place = byte % bytes.length
        const changed = toHex(bytes.with(place, (bytes[place] ?? 0) ^ change))
        const bad = nodes.with(index, changed)
        const [entry] = proof.storageProof
        const part =
          list === 0 ? { accountProof: bad } : { storageProof: [{ ...entry, proof: bad }] }
        assert.equal(judge({ ...proof, ...part }, [3]), 'lie')
      },
    ),
    { numRuns: 300 },
  )
})

test(
  'the recorded mainnet proof is complete, and of no other slot',
  { skip: missingVectors },
  () => {
    const { stateRoot } = decodeHeader(
      readVector('mainnet-proofs/usdc-implementation-slot/header.rlp'),
    )
    const [at, slot] = usdcSlot.map(fromHex)
    assert.ok(at !== undefined && slot !== undefined)
    const reply = readProofReply(readMainnetProof(), 1)
    assert.equal(checkProof(reply, { stateRoot, address: at, slots: [slot] }), 'complete')
    const other = checkProof(reply, { stateRoot, address: at, slots: [slot.with(31, 0)] })
    assert.equal(typeof other, 'object')
  },
)
