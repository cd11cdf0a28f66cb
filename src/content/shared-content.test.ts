import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAccountState } from '../codec/account-state.ts'
import { encodeRlp } from '../codec/rlp.ts'
import { buildTrie } from '../codec/trie-build.ts'
import { decodeTrieNode } from '../codec/trie-node.ts'
import { keccak256 } from '../codec/keccak.ts'
import { isShared } from './shared-content.ts'

const hash = new Uint8Array(32)
const key = (number: number) => keccak256(Uint8Array.of(number))

test('of a storage trie all but the leaves is shared', () => {
  for (const size of [1, 20, 32]) {
    const value = encodeRlp(new Uint8Array(size).fill(200))
    const { nodes } = buildTrie(Array.from({ length: 200 }, (_, n) => [key(n), value] as const))
    for (const bytes of nodes) {
      const isLeaf = decodeTrieNode(bytes).type === 'leaf'
      assert.equal(isShared({ kind: 'trie-node', hash }, bytes), !isLeaf, `${size}`)
    }
  }
})

test('of a state trie every node is shared, accounts too', () => {
  const account = encodeAccountState({
    nonce: 0n,
    balance: 0n,
    storageRoot: hash,
    codeHash: hash,
  })
  const { nodes } = buildTrie(Array.from({ length: 200 }, (_, n) => [key(n), account] as const))
  for (const bytes of nodes) assert.ok(isShared({ kind: 'trie-node', hash }, bytes))
})

test('an extension is shared, and a file’s block is not', () => {
  const ways = [Uint8Array.of(0x00, 0x12), Uint8Array.of(0x13)]
  for (const path of ways) {
    assert.ok(isShared({ kind: 'trie-node', hash }, encodeRlp([path, hash])))
  }
  assert.ok(!isShared({ kind: 'dag-block', hash }, Uint8Array.of(1)))
  assert.ok(isShared({ kind: 'code', hash }, Uint8Array.of(1)))
})
