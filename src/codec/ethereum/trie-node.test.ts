import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256 } from '../hash/keccak.ts'
import { Malformed, type RlpItem, encodeRlp } from './rlp.ts'
import {
  decodeTrieNode,
  packPath,
  stepThrough,
  stepThroughBytes,
  toNibbles,
  unpackPath,
} from './trie-node.ts'
import { buildTrie } from './trie-build.ts'

const none = new Uint8Array(0)
const hash = keccak256(Uint8Array.of(1))
const empty: readonly RlpItem[] = Array.from({ length: 16 }, () => none)
const leaf = [Uint8Array.of(0x35), Uint8Array.of(9)]

const decode = (item: RlpItem, branchValues = false) =>
  decodeTrieNode(encodeRlp(item), { branchValues })
const path = (...nibbles: number[]) => Uint8Array.from(nibbles)

test('paths pack and unpack at every parity and start', () => {
  const key = Uint8Array.of(0x01, 0x23, 0xf5, 0x06)
  for (let from = 0; from <= 8; from += 1) {
    for (let to = from; to <= 8; to += 1) {
      for (const isLeaf of [true, false]) {
        const unpacked = unpackPath(packPath(key, from, to, isLeaf))
        assert.deepEqual(unpacked, { isLeaf, path: toNibbles(key).subarray(from, to) })
      }
    }
  }
})

test('a branch leads to the hash of the next nibble with the rest of the path', () => {
  const node = decode([...empty.with(7, hash), none])
  assert.deepEqual(stepThrough(node, path(7, 1, 2)), { next: hash, rest: path(1, 2) })
  assert.equal(stepThrough(node, path(8, 1, 2)), 'absent')
  assert.equal(stepThrough(node, path()), 'absent')
})

test('an extension leads on when its path matches and proves absence when it does not', () => {
  const node = decode([Uint8Array.of(0x00, 0x12), hash])
  assert.deepEqual(stepThrough(node, path(1, 2, 3)), { next: hash, rest: path(3) })
  assert.equal(stepThrough(node, path(1, 3, 3)), 'absent')
  assert.equal(stepThrough(node, path(1)), 'absent')
})

test('a leaf gives its value only to exactly its path', () => {
  const node = decode([Uint8Array.of(0x20, 0x12), Uint8Array.of(5)])
  assert.deepEqual(stepThrough(node, path(1, 2)), { value: Uint8Array.of(5) })
  for (const other of [path(1), path(1, 2, 3), path(1, 3), path()]) {
    assert.equal(stepThrough(node, other), 'absent')
  }
  const bare = decode([Uint8Array.of(0x20), Uint8Array.of(5)])
  assert.deepEqual(stepThrough(bare, path()), { value: Uint8Array.of(5) })
})

test('embedded nodes are walked in place', () => {
  const branch = [...empty.with(3, leaf), none]
  const embedded = decode([Uint8Array.of(0x11), branch])
  assert.deepEqual(stepThrough(embedded, path(1, 3, 5)), { value: Uint8Array.of(9) })
  assert.equal(stepThrough(embedded, path(1, 3, 6)), 'absent')
  assert.equal(stepThrough(embedded, path(1, 4, 5)), 'absent')
  assert.equal(stepThrough(embedded, path(2, 3, 5)), 'absent')
})

test('a value in a branch is read where the trie may have one and refused elsewhere', () => {
  const item = [...empty.with(3, leaf), Uint8Array.of(8)]
  assert.deepEqual(stepThrough(decode(item, true), path()), { value: Uint8Array.of(8) })
  assert.throws(() => decode(item), Malformed)
  assert.throws(() => decode([Uint8Array.of(0x11), item]), Malformed)
})

const refused: readonly (readonly [string, RlpItem])[] = [
  ['the empty string', none],
  ['a string', hash],
  ['no items', []],
  ['3 items', [none, none, none]],
  ['16 items', empty],
  ['18 items', [...empty, none, none]],
  ['a path without a flag', [none, hash]],
  ['a flag above 3', [Uint8Array.of(0x40), hash]],
  ['an even leaf path with a low nibble', [Uint8Array.of(0x21, 0x12), hash]],
  ['an even extension path with a low nibble', [Uint8Array.of(0x01, 0x12), hash]],
  ['an extension with an empty path', [Uint8Array.of(0x00), hash]],
  ['an extension without a child', [Uint8Array.of(0x11), none]],
  ['an extension to 31 bytes', [Uint8Array.of(0x11), hash.subarray(1)]],
  ['a leaf without a value', [Uint8Array.of(0x31), none]],
  ['a leaf whose value is a list', [Uint8Array.of(0x31), [hash]]],
  ['a path that is a list', [[], hash]],
  ['a child of 31 bytes', [...empty.with(0, hash.subarray(1)), none]],
  ['a child of 33 bytes', [...empty.with(0, new Uint8Array(33)), none]],
  ['an embedded child that is no node', [...empty.with(0, []), none]],
  ['an embedded child of 32 bytes or more', [...empty.with(0, [Uint8Array.of(0x31), hash]), none]],
  ['a branch whose value is a list', [...empty, []]],
]

for (const [name, item] of refused) {
  test(`${name} is no trie node`, () => {
    assert.throws(() => decode(item), Malformed)
  })
}

test('foreign bytes are a node or malformed, and any node can be stepped through', () => {
  const valid = encodeRlp([...empty.with(3, leaf).with(9, hash), none])
  const mutated = fc
    .array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((edits) => edits.reduce((bytes, [at, value]) => bytes.with(at, value), valid))
  const paths = fc.array(fc.nat(15), { maxLength: 64 }).map((it) => Uint8Array.from(it))
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 120 })), paths, (bytes, walked) => {
      try {
        stepThrough(decodeTrieNode(bytes), walked)
      } catch (thrown) {
        assert.ok(thrown instanceof Malformed)
      }
    }),
    { numRuns: 2000 },
  )
})

test('a step on the bytes of any node is the step on the node decoded', () => {
  const keys = fc.uniqueArray(fc.uint8Array({ minLength: 4, maxLength: 4 }), {
    selector: (key) => Buffer.from(key).toString('hex'),
    minLength: 1,
    maxLength: 40,
  })
  const sizes = fc.integer({ min: 1, max: 40 })
  fc.assert(
    fc.property(keys, sizes, fc.array(fc.nat(15), { maxLength: 8 }), (all, size, nibbles) => {
      const value = new Uint8Array(size).fill(7)
      for (const bytes of buildTrie(all.map((key) => [key, value] as const)).nodes) {
        const left = Uint8Array.from(nibbles)
        const expected = stepThrough(decodeTrieNode(bytes), left)
        assert.deepEqual(stepThroughBytes(bytes, left), expected)
      }
    }),
    { numRuns: 300 },
  )
})
