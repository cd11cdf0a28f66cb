import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVerify } from './verify.ts'

test('IPFS blocks are verified by their multihash, all other content by keccak256', () => {
  const seen: string[] = []
  const verify = createVerify({
    keccakKinds: ({ kind }) => seen.push(`keccak ${kind}`),
    dagBlock: (multihash) => seen.push(`multihash of ${multihash.length}`),
  })
  const hash = new Uint8Array(32)
  verify({ kind: 'code', hash }, hash)
  verify({ kind: 'dag-block', hash }, hash)
  verify({ kind: 'header', hash }, hash)
  assert.deepEqual(seen, ['keccak code', 'multihash of 32', 'keccak header'])
})
