import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAccountState } from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import { encodeRlp } from '../codec/ethereum/rlp.ts'
import { buildTrie } from '../codec/ethereum/trie-build.ts'
import { decodeTrieNode } from '../codec/ethereum/trie-node.ts'
import { createMemory, isShared } from './memory.ts'
import type { ContentRef } from './ref.ts'

function node(number: number, kind: ContentRef['kind'] = 'trie-node'): ContentRef {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(28, number)
  return { kind, hash }
}

test('gives back the bytes that were added under the same kind and hash, and no others', () => {
  const memory = createMemory({ bytesMax: 1_000_000 })
  const bytes = Uint8Array.of(1, 2, 3)
  memory.add(node(1), bytes)
  assert.equal(memory.find(node(1)), bytes)
  assert.equal(memory.find(node(2)), null)
  assert.equal(memory.find(node(1, 'code')), null)
})

test('finds by a hash that stands inside other bytes, as in a node', () => {
  const memory = createMemory({ bytesMax: 1_000_000 })
  const bytes = Uint8Array.of(1, 2, 3)
  memory.add(node(7), bytes)
  const from = Uint8Array.of(0xf8, 0xa0, ...node(7).hash, 0x80)
  assert.equal(memory.findAt('trie-node', from, 2), bytes)
  assert.equal(memory.findAt('trie-node', from, 1), null)
  assert.equal(memory.findAt('code', from, 2), null)
})

test('hashes with equal endings are distinguished, also in an earlier generation', () => {
  const memory = createMemory({ bytesMax: 64_000 })
  const likes = Array.from({ length: 50 }, (_, first): ContentRef => {
    const hash = new Uint8Array(32).fill(9)
    hash[0] = first
    return { kind: 'trie-node', hash }
  })
  likes.forEach((ref, first) => memory.add(ref, Uint8Array.of(first)))
  likes.forEach((ref, first) => assert.deepEqual(memory.find(ref), Uint8Array.of(first)))
  for (let number = 0; number < 60; number += 1) memory.add(node(number), new Uint8Array(100))
  likes.forEach((ref, first) => {
    const found = memory.find(ref)
    if (found !== null) assert.deepEqual(found, Uint8Array.of(first))
  })
  assert.equal(memory.find({ kind: 'trie-node', hash: new Uint8Array(32).fill(8) }), null)
})

test('hashes of any length have their place, none at all too', () => {
  const memory = createMemory({ bytesMax: 1_000_000 })
  const refs = [0, 1, 4, 7, 34].map((length): ContentRef => ({
    kind: 'dag-block',
    hash: new Uint8Array(length).fill(5),
  }))
  refs.forEach((ref, at) => memory.add(ref, Uint8Array.of(at)))
  refs.forEach((ref, at) => assert.deepEqual(memory.find(ref), Uint8Array.of(at)))
})

test('stays within its byte limit, and one large entry cannot take all of it', () => {
  const memory = createMemory({ bytesMax: 100_000 })
  for (let number = 0; number < 1_000; number += 1) memory.add(node(number), new Uint8Array(100))
  const numbers = Array.from({ length: 1_000 }, (_, number) => number)
  const cached = numbers.filter((number) => memory.find(node(number)) !== null).length
  assert.ok(cached > 0 && cached * 100 <= 100_000, `${cached} of 1000 entries are held`)
  memory.add(node(1_001), new Uint8Array(2_000))
  assert.equal(memory.find(node(1_001)), null)
})

const zeroHash = new Uint8Array(32)
const key = (number: number) => keccak256(Uint8Array.of(number))

test('of a storage trie all but the leaves is shared', () => {
  for (const size of [1, 20, 32]) {
    const value = encodeRlp(new Uint8Array(size).fill(200))
    const { nodes } = buildTrie(Array.from({ length: 200 }, (_, n) => [key(n), value] as const))
    for (const bytes of nodes) {
      const isLeaf = decodeTrieNode(bytes).type === 'leaf'
      assert.equal(isShared({ kind: 'trie-node', hash: zeroHash }, bytes), !isLeaf, `${size}`)
    }
  }
})

test('of a state trie every node is shared, accounts too', () => {
  const account = encodeAccountState({
    nonce: 0n,
    balance: 0n,
    storageRoot: zeroHash,
    codeHash: zeroHash,
  })
  const { nodes } = buildTrie(Array.from({ length: 200 }, (_, n) => [key(n), account] as const))
  for (const bytes of nodes) assert.ok(isShared({ kind: 'trie-node', hash: zeroHash }, bytes))
})

test('an extension is shared, and a file’s block is not', () => {
  const ways = [Uint8Array.of(0x00, 0x12), Uint8Array.of(0x13)]
  for (const path of ways) {
    assert.ok(isShared({ kind: 'trie-node', hash: zeroHash }, encodeRlp([path, zeroHash])))
  }
  assert.ok(!isShared({ kind: 'dag-block', hash: zeroHash }, Uint8Array.of(1)))
  assert.ok(isShared({ kind: 'code', hash: zeroHash }, Uint8Array.of(1)))
})
