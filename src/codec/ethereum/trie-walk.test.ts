import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMerkleProof, createMPT, verifyMerkleProof } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { toHex } from '../../base/hex.ts'
import { emptyTrieRoot } from './account-state.ts'
import { keccak256 } from '../hash/keccak.ts'
import { encodeRlp } from './rlp.ts'
import { buildTrie } from './trie-build.ts'
import { walkProof } from './trie-walk.ts'

const bagOf = (nodes: readonly Uint8Array[]) => {
  const byHash = new Map(nodes.map((node) => [toHex(keccak256(node)), new Uint8Array(node)]))
  return (hash: Uint8Array) => byHash.get(toHex(hash)) ?? null
}

/** Few distinct bytes, so that some keys exist and some do not. */
const keys = fc.uint8Array({ minLength: 1, maxLength: 1, max: 60 })
const pairs = fc.uniqueArray(fc.tuple(keys, fc.uint8Array({ minLength: 1, maxLength: 70 })), {
  minLength: 1,
  maxLength: 40,
  selector: ([key]) => toHex(key),
})

test('a proof made elsewhere gives the value, or the absence, that is read from it there', async () => {
  const ends = { value: 0, absent: 0 }
  await fc.assert(
    fc.asyncProperty(
      pairs,
      fc.array(keys, { minLength: 1, maxLength: 6 }),
      async (list, wanted) => {
        const trie = await createMPT({ useKeyHashing: true })
        for (const [key, value] of list) await trie.put(key, value)
        for (const key of wanted) {
          const proof = await createMerkleProof(trie, key)
          const options = { root: trie.root(), useKeyHashing: true }
          const expected = await verifyMerkleProof(key, proof, options)
          const shuffled = bagOf([...proof.toReversed(), ...proof, Uint8Array.of(0xc0)])
          const end = walkProof(trie.root(), keccak256(key), shuffled)
          assert.deepEqual(end, expected === null ? 'absent' : { value: new Uint8Array(expected) })
          ends[expected === null ? 'absent' : 'value'] += 1
        }
      },
    ),
    { numRuns: 60 },
  )
  assert.ok(ends.value > 0 && ends.absent > 0, JSON.stringify(ends))
})

test('a node left out is missing by its hash, wherever it stood', () => {
  const list = Array.from({ length: 300 }, (_, at) => keccak256(Uint8Array.of(at >> 8, at & 255)))
  const { root, nodes } = buildTrie(list.map((key) => [key, key]))
  const key = list[7] as Uint8Array
  const path: Uint8Array[] = []
  const find = bagOf(nodes)
  walkProof(root, key, (hash) => {
    path.push(hash)
    return find(hash)
  })
  assert.ok(path.length >= 3)
  for (const removed of path) {
    const end = walkProof(root, key, (hash) => (toHex(hash) === toHex(removed) ? null : find(hash)))
    assert.deepEqual(end, { missing: removed })
  }
})

test('an empty trie needs no proof', () => {
  const end = walkProof(emptyTrieRoot, new Uint8Array(32), () =>
    assert.fail('no node is requested'),
  )
  assert.equal(end, 'absent')
})

test('a bag that leads in circles ends with the key', () => {
  // A node cannot contain its own hash, but the walk is bounded even then.
  const hash = new Uint8Array(32).fill(7)
  const branch = encodeRlp([...Array.from({ length: 16 }, () => hash), new Uint8Array(0)])
  assert.equal(
    walkProof(hash, new Uint8Array(32), () => branch),
    'absent',
  )
})
