import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { emptyCodeHash, emptyTrieRoot, emptyUnclesHash } from '../ethereum/account-state.ts'
import { keccak256 } from './keccak.ts'
import { encodeEntries } from '../ethereum/list.ts'
import { Malformed, encodeInteger, encodeRlp } from '../ethereum/rlp.ts'
import { orderedRoot } from '../ethereum/ordered-trie.ts'
import { buildTrie } from '../ethereum/trie-build.ts'
import { verifyKeccakKinds } from './verify-keccak.ts'
import type { KeccakRef } from './verify-keccak.ts'

type Kind = KeccakRef['kind']

const header = encodeRlp([
  ...[32, 32, 20, 32, 32, 32, 256].map((length) => new Uint8Array(length)),
  ...[0, 7, 30_000_000, 0, 1_700_000_000].map(encodeInteger),
  ...[0, 32, 8].map((length) => new Uint8Array(length)),
])
const legacy = encodeRlp([Uint8Array.of(1), Uint8Array.of(2)])
const typed = Uint8Array.of(2, ...encodeRlp([Uint8Array.of(1)]))
const list = encodeEntries([legacy, typed])
const listRoot = orderedRoot([legacy, typed])
const node = encodeRlp([Uint8Array.of(0x20), new Uint8Array(40).fill(1)])
const uncles = encodeRlp([])

const honest: readonly (readonly [Kind, Uint8Array, Uint8Array])[] = [
  ['header', keccak256(header), header],
  ['transactions', listRoot, list],
  ['transactions', emptyTrieRoot, Uint8Array.of(0xc0)],
  ['receipts', listRoot, list],
  ['withdrawals', listRoot, list],
  ['withdrawals', emptyTrieRoot, Uint8Array.of(0xc0)],
  ['uncles', emptyUnclesHash, uncles],
  ['uncles', keccak256(uncleList()), uncleList()],
  ['trie-node', keccak256(node), node],
  ['code', keccak256(typed), typed],
  ['code', emptyCodeHash, new Uint8Array(0)],
]

function uncleList(): Uint8Array {
  return Uint8Array.of(0xf9, header.length >> 8, header.length & 255, ...header)
}

function refusal(kind: Kind, hash: Uint8Array, bytes: Uint8Array): Fault {
  try {
    verifyKeccakKinds({ kind, hash }, bytes)
  } catch (thrown) {
    assert.ok(thrown instanceof Fault)
    assert.equal(thrown.code, 'unverified')
    return thrown
  }
  assert.fail(`${kind} was accepted`)
}

for (const [kind, hash, bytes] of honest) {
  test(`${kind} of ${bytes.length} bytes is accepted under its hash, and with no bit changed`, () => {
    verifyKeccakKinds({ kind, hash }, bytes)
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
      refusal(kind, hash, changed)
    }
    refusal(kind, hash, Uint8Array.of(...bytes, 0))
    if (bytes.length > 0) refusal(kind, hash, bytes.subarray(1))
    refusal(kind, hash.with(0, (hash[0] ?? 0) ^ 1), bytes)
  })
}

test('a mismatch names both hashes', () => {
  const fault = refusal('code', emptyCodeHash, Uint8Array.of(0x80))
  assert.match(fault.message, /^code 0xc5d2[0-9a-f]+ does not match its bytes, which give 0x56e8/)
})

test('bytes with the right hash and the wrong form are refused, and the cause names the form', () => {
  const wrong: readonly (readonly [Kind, Uint8Array])[] = [
    ['header', encodeRlp([])],
    ['header', header.subarray(3)],
    ['trie-node', header],
    ['trie-node', Uint8Array.of(0x80)],
    ['trie-node', new Uint8Array(0)],
    ['uncles', Uint8Array.of(0x80)],
    ['uncles', encodeRlp([[]])],
  ]
  for (const [kind, bytes] of wrong) {
    assert.ok(refusal(kind, keccak256(bytes), bytes).cause instanceof Malformed)
  }
})

test('one kind is never taken for another', () => {
  refusal('trie-node', listRoot, list)
  refusal('trie-node', keccak256(typed), typed)
  const entries = [legacy, typed]
  const { root, nodes } = buildTrie(entries.map((it, at) => [encodeRlp(encodeInteger(at)), it]))
  assert.deepEqual(root, listRoot)
  const rootNode = nodes.at(-1) ?? new Uint8Array(0)
  verifyKeccakKinds({ kind: 'trie-node', hash: listRoot }, rootNode)
  refusal('transactions', listRoot, rootNode)
  refusal('code', listRoot, list)
})

test('entries reordered, dropped or added have another root', () => {
  const others = [[typed, legacy], [legacy], [legacy, typed, typed], []]
  for (const entries of others) refusal('transactions', listRoot, encodeEntries(entries))
})

test('a list whose root is made over blob transactions with their sidecars is refused', () => {
  const wrapped = Uint8Array.of(3, ...encodeRlp([[Uint8Array.of(1)], [], [], []]))
  const bytes = encodeEntries([wrapped])
  const fault = refusal('transactions', orderedRoot([wrapped]), bytes)
  assert.match(fault.message, /without its sidecar/)
})

test('a huge or endless node is refused', () => {
  const huge = encodeRlp([Uint8Array.of(0x20), new Uint8Array(10_000_000)])
  refusal('trie-node', keccak256(node), huge)
  const deep = new Uint8Array(1000).fill(0xc1)
  refusal('trie-node', keccak256(deep), deep)
})
