import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeInteger, encodeRlp } from './rlp.ts'
import { withoutSidecar } from './without-sidecar.ts'

const fields = [encodeInteger(1), encodeInteger(2), new Uint8Array(20)]
const typed = (payload: Uint8Array): Uint8Array => Uint8Array.of(3, ...payload)
const inBlock = typed(encodeRlp(fields))

test('a blob transaction in either network form becomes the one of its block', () => {
  const [blobs, commitments, proofs] = [[new Uint8Array(100)], [new Uint8Array(48)], []]
  const prague = typed(encodeRlp([fields, blobs, commitments, proofs]))
  const osaka = typed(encodeRlp([fields, encodeInteger(1), blobs, commitments, proofs]))
  assert.deepEqual(withoutSidecar(prague), inBlock)
  assert.deepEqual(withoutSidecar(osaka), inBlock)
})

test('what has no sidecar stays as it is', () => {
  assert.equal(withoutSidecar(inBlock), inBlock)
  const legacy = encodeRlp(fields)
  assert.equal(withoutSidecar(legacy), legacy)
})

test('junk is malformed', () => {
  for (const junk of [[3], [3, 0xc0], [3, 0x80], [3, 0xf8]]) {
    assert.throws(() => withoutSidecar(Uint8Array.from(junk)), { name: 'Malformed' })
  }
})
