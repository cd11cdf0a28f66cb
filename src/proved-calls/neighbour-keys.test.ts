// Keys are found by the beginning of their hashes.
import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { toNibbles } from '../codec/ethereum/trie-node.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { NeighbourKeys } from './neighbour-keys.ts'

for (const length of [20, 32] as const) {
  test(`keys of ${length} bytes are found for each path of up to 2 nibbles, and some longer ones`, () => {
    const keys = new NeighbourKeys(length)
    equal(keys.find(Uint8Array.of(3)), null)
    keys.search(4_000)
    const longer = toNibbles(keccak256(new Uint8Array(length).fill(1, length - 1))).subarray(0, 5)
    const paths = Array.from({ length: 256 }, (_, byte) => toNibbles(Uint8Array.of(byte)))
    for (const path of [...paths, paths[7]?.subarray(0, 1) ?? longer, longer]) {
      const key = keys.find(path)
      equal(key?.length, length)
      const nibbles = toNibbles(keccak256(key))
      ok(path.every((nibble, at) => nibbles[at] === nibble))
    }
  })
}

test('a path longer than 5 nibbles is out of reach', () => {
  const keys = new NeighbourKeys(32)
  keys.search(10)
  equal(NeighbourKeys.canSearch(new Uint8Array(5)), true)
  equal(NeighbourKeys.canSearch(new Uint8Array(6)), false)
  equal(keys.find(toNibbles(keccak256(new Uint8Array(32).fill(1, 31))).subarray(0, 6)), null)
})
