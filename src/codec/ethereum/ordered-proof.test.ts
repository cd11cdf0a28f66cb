import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { toHex } from '../../base/hex.ts'
import { createOrderedTrie, orderedKey, orderedRoot } from './ordered-trie.ts'
import { encodeRlp } from './rlp.ts'

/** Short ones too, whose nodes stand inside others. */
const entriesOf = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) =>
    encodeRlp([Uint8Array.of(index >> 8, index & 255), new Uint8Array(bytes).fill(index)]),
  )

test('each entry, and the end of the list, is proved to another verifier by the nodes that lead to it', async () => {
  for (const bytes of [0, 3, 40, 400]) {
    for (const count of [1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300]) {
      const entries = entriesOf(count, bytes)
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
  const { nodes, nodesTo } = createOrderedTrie(entriesOf(1000, 100))
  assert.ok(nodes.length > 1000)
  assert.ok(nodesTo(777).length <= 7)
  assert.deepEqual(createOrderedTrie([]).nodesTo(0), [])
})
