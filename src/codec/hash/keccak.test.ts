import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keccak256 as oracle } from 'ethers'
import { toHex } from '../../base/hex.ts'
import { emptyCodeHash, emptyTrieRoot, emptyUnclesHash } from '../ethereum/account-state.ts'
import { keccak256 } from './keccak.ts'

test('the hashes of empty data equal the constants', () => {
  assert.deepEqual(keccak256(new Uint8Array(0)), emptyCodeHash)
  assert.deepEqual(keccak256(Uint8Array.of(0x80)), emptyTrieRoot)
  assert.deepEqual(keccak256(Uint8Array.of(0xc0)), emptyUnclesHash)
})

test('any bytes, also a view into others, hash as an independent implementation hashes them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), fc.nat(300), (bytes, from) => {
      const view = bytes.subarray(Math.min(from, bytes.length))
      assert.equal(toHex(keccak256(view)), oracle(view))
    }),
  )
})

test('a hash stays as it was when the next one is made', () => {
  const first = keccak256(Uint8Array.of(1))
  const copy = first.slice()
  keccak256(Uint8Array.of(2))
  assert.deepEqual(first, copy)
  assert.equal(first.length, 32)
})
