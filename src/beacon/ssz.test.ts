import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toHex } from '../base/hex.ts'
import {
  depthOf,
  hashPair,
  isBranch,
  nodeOfInteger,
  rootOfBytes,
  rootOfNodes,
  rootOfShortList,
} from './ssz.ts'

const zero = new Uint8Array(32)
const node = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

test('a tree is filled with zeros to a power of two', () => {
  assert.deepEqual(rootOfNodes([node(1)]), node(1))
  const expected = hashPair(hashPair(node(1), node(2)), hashPair(node(3), zero))
  assert.deepEqual(rootOfNodes([node(1), node(2), node(3)]), expected)
  const five = [1, 2, 3, 4, 5].map(node)
  const right = hashPair(hashPair(node(5), zero), hashPair(zero, zero))
  assert.deepEqual(rootOfNodes(five), hashPair(rootOfNodes(five.slice(0, 4)), right))
})

test('integers are little-endian, and lists mix in their length', () => {
  assert.equal(toHex(nodeOfInteger(0x0102n)), `0x0201${'00'.repeat(30)}`)
  assert.equal(toHex(nodeOfInteger((1n << 256n) - 1n)), `0x${'ff'.repeat(32)}`)
  assert.deepEqual(rootOfShortList(new Uint8Array(0)), hashPair(zero, zero))
  const three = rootOfShortList(Uint8Array.of(1, 2, 3))
  assert.deepEqual(three, hashPair(rootOfBytes(Uint8Array.of(1, 2, 3)), nodeOfInteger(3n)))
})

test('a branch leads to the root at its own index alone', () => {
  const leaves = [1, 2, 3, 4].map(node)
  const root = rootOfNodes(leaves)
  const branch = [node(4), hashPair(node(1), node(2))]
  assert.equal(isBranch(node(3), branch, 6, root), true)
  assert.equal(isBranch(node(3), branch, 7, root), false)
  assert.equal(isBranch(node(2), branch, 6, root), false)
  assert.equal(isBranch(node(3), branch.slice(0, 1), 6, root), false)
  assert.equal(isBranch(node(3), [zero, ...branch], 6, root), true, 'filled for a deeper fork')
  assert.equal(isBranch(node(3), [node(9), ...branch], 6, root), false)
  assert.deepEqual([1, 2, 54, 169, 2945].map(depthOf), [0, 1, 5, 7, 11])
})
