import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from '../codec/hash/keccak.ts'
import { sha256Name } from '../codec/ipld/multihash.ts'
import { verify } from './verified-finds.ts'

test('IPFS blocks are verified by their multihash, all other content by keccak256', () => {
  const bytes = Uint8Array.of(1, 2, 3)
  const multihash = sha256Name(bytes)
  const hash = keccak256(bytes)
  verify({ kind: 'dag-block', hash: multihash }, bytes)
  verify({ kind: 'code', hash }, bytes)
  const other = bytes.with(0, 9)
  const unverified = { code: 'unverified' }
  assert.throws(() => verify({ kind: 'dag-block', hash: multihash }, other), unverified)
  assert.throws(() => verify({ kind: 'code', hash }, other), unverified)
  assert.throws(() => verify({ kind: 'code', hash: multihash }, bytes), unverified)
})
