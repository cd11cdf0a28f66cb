import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256 } from '../hash/keccak.ts'
import {
  childHashAt,
  decodeTrieNode,
  isPlainNode,
  leadsToLeaf,
  packPath,
  readLeaf,
  stepThrough,
  stepThroughBytes,
  toNibbles,
} from './trie-node.ts'
import { type RlpItem, encodeRlp } from './rlp.ts'
import { buildTrie } from './trie-build.ts'

const none = new Uint8Array(0)
const empty: readonly RlpItem[] = Array.from({ length: 16 }, () => none)
const hash = keccak256(none)
const nibbles = Array.from({ length: 16 }, (_, nibble) => nibble)
const branch = encodeRlp([...empty.with(3, hash).with(9, hash), none])
const slotLeaf = encodeRlp([Uint8Array.of(0x31, 0x23, 0x45), encodeRlp(hash)])

const keys = fc.uniqueArray(fc.uint8Array({ minLength: 4, maxLength: 4 }), {
  selector: (key) => Buffer.from(key).toString('hex'),
  minLength: 1,
  maxLength: 60,
})

function nodesOf(all: readonly Uint8Array[], size: number): readonly Uint8Array[] {
  const value = new Uint8Array(size).fill(7)
  return buildTrie(all.map((key) => [key, value] as const)).nodes
}

test('what is called a plain node decodes as one, after any change of its bytes', () => {
  const valid = [
    branch,
    encodeRlp([...empty.map(() => hash), none]),
    slotLeaf,
    encodeRlp([Uint8Array.of(0x20), Uint8Array.of(1)]),
    encodeRlp([Uint8Array.of(0x20, 0x11), new Uint8Array(110).fill(1)]),
  ]
  for (const node of valid) assert.ok(isPlainNode(node))
  const changed = fc
    .tuple(
      fc.constantFrom(...valid),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      fc.nat(3),
    )
    .map(([node, edits, less]) =>
      edits
        .reduce((bytes, [at, byte]) => bytes.with(at % bytes.length, byte), node)
        .subarray(0, node.length - less),
    )
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 80 })), (bytes) => {
      if (isPlainNode(bytes)) assert.doesNotThrow(() => decodeTrieNode(bytes))
    }),
    { numRuns: 5000 },
  )
})

test('a branch with a value, an embedded child or 15 children is not called plain', () => {
  const leaf = [Uint8Array.of(0x35), Uint8Array.of(9)]
  assert.ok(!isPlainNode(encodeRlp([...empty.with(3, hash), hash])))
  assert.ok(!isPlainNode(encodeRlp([...empty.with(3, leaf), none])))
  assert.ok(!isPlainNode(encodeRlp([...empty.slice(1), none])))
})

test('the child of any node of a trie is the one that a step leads to', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 40 }), (all, size) => {
      for (const bytes of nodesOf(all, size)) {
        for (const nibble of nibbles) {
          const at = childHashAt(bytes, nibble)
          if (at === -1) continue
          const step = stepThroughBytes(bytes, Uint8Array.of(nibble, 0))
          const next = step !== 'absent' && 'next' in step ? step.next : null
          assert.deepEqual(at === 0 ? null : bytes.subarray(at, at + 32), next)
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('leaves and extensions are never taken for branches, however long their path', () => {
  for (const length of [1, 2, 31, 32, 33]) {
    for (const flag of [0x00, 0x11, 0x20, 0x31]) {
      const path = new Uint8Array(length).fill(0x11)
      path[0] = flag
      if (length === 1 && flag === 0x00) continue
      const node = encodeRlp([path, hash])
      assert.doesNotThrow(() => decodeTrieNode(node))
      assert.deepEqual(new Set(nibbles.map((nibble) => childHashAt(node, nibble))), new Set([-1]))
    }
  }
})

test('a leaf is led to by its own path at its own depth, and holds the value that a step gives', () => {
  const sizes = fc.integer({ min: 1, max: 120 })
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(64),
      sizes,
      fc.nat(63),
      (key, depth, size, changed) => {
        const value = new Uint8Array(size).fill(200)
        const bytes = encodeRlp([packPath(key, depth, 64, true), value])
        const leaf = readLeaf(bytes)
        assert.ok(leaf !== null)
        assert.ok(leadsToLeaf(bytes, leaf, key, depth))
        assert.deepEqual(stepThrough(decodeTrieNode(bytes), toNibbles(key).subarray(depth)), {
          value: bytes.subarray(leaf.valueAt),
        })
        const other = key.with(changed >> 1, (key[changed >> 1] ?? 0) ^ (changed % 2 ? 1 : 16))
        assert.equal(leadsToLeaf(bytes, leaf, other, depth), changed < depth)
        assert.ok(depth === 0 || !leadsToLeaf(bytes, leaf, key, depth - 1))
      },
    ),
  )
  assert.equal(readLeaf(branch), null)
  assert.equal(readLeaf(encodeRlp([Uint8Array.of(0x11), hash])), null)
})
