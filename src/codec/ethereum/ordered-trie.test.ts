import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toBareHex, toHex } from '../../base/hex.ts'
import { Malformed, encodeRlp } from './rlp.ts'
import { createOrderedTrie, listSettings, orderedRoot, orderedKey } from './ordered-trie.ts'
import { verifyMerkleProof } from '@ethereumjs/mpt'

const entriesOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => encodeRlp([new Uint8Array(bytes).fill(index)]))

const bagOf = (pieces: Iterable<readonly [string, Uint8Array]>) => {
  const bag = new Map(pieces)
  return (hash: Uint8Array) => bag.get(toBareHex(hash)) ?? null
}

test('over all nodes every entry is reached, each under its index', () => {
  for (const bytes of [1, 40]) {
    for (const count of [0, 1, 2, 17, 127, 128, 129, 300]) {
      const entries = entriesOf(count, bytes)
      const leaves = [
        ...listSettings(orderedRoot(entries), bagOf(createOrderedTrie(entries).nodes)),
      ]
      const sorted = leaves.toSorted((a, b) => a.index - b.index)
      assert.deepEqual(
        sorted.map(({ index, entry }) => [index, toBareHex(entry)]),
        entries.map((entry, index) => [index, toBareHex(entry)]),
      )
    }
  }
})

test('over the nodes to one entry that entry is reached, and none over none', () => {
  const entries = entriesOf(300, 40)
  const root = orderedRoot(entries)
  const { nodesTo } = createOrderedTrie(entries)
  assert.deepEqual(
    [...listSettings(root, bagOf(nodesTo(200)))].map(({ index }) => index),
    [200],
  )
  assert.deepEqual([...listSettings(root, () => null)], [])
})

test('a node that leads back to itself ends', () => {
  const hash = new Uint8Array(32).fill(7)
  const branch = encodeRlp([hash, ...Array.from({ length: 16 }, () => new Uint8Array(0))])
  assert.throws(() => [...listSettings(hash, () => branch)], Malformed)
})

/** Includes short entries, whose nodes are embedded in others. */
const distinctEntries = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) =>
    encodeRlp([Uint8Array.of(index >> 8, index & 255), new Uint8Array(bytes).fill(index)]),
  )

test('each entry, and the end of the list, is proved to another verifier by the nodes that lead to it', async () => {
  for (const bytes of [0, 3, 40, 400]) {
    for (const count of [1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300]) {
      const entries = distinctEntries(count, bytes)
      const { nodesTo } = createOrderedTrie(entries)
      const root = orderedRoot(entries)
      for (const index of [0, 1, 15, 16, 126, 127, 128, 254, 255, 256, count - 1, count, 70_000]) {
        const proof = nodesTo(index).map(([, node]) => node)
        const value = await verifyMerkleProof(orderedKey(index), proof, { root })
        const expected = entries[index]
        assert.deepEqual(
          value === null ? null : toHex(value),
          expected === undefined ? null : toHex(expected),
          `${index} of ${count}`,
        )
      }
    }
  }
})

test('a few nodes stand for a long list', () => {
  const { nodes, nodesTo } = createOrderedTrie(distinctEntries(1000, 100))
  assert.ok(nodes.length > 1000)
  assert.ok(nodesTo(777).length <= 7)
  assert.deepEqual(createOrderedTrie([]).nodesTo(0), [])
})
