import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { copyBytes } from './copy-bytes.ts'

test('bytes come to their place, whole and alone, into shared memory and out of it', () => {
  const bytes = randomBytes(1000)
  const shared = new Uint8Array(new SharedArrayBuffer(3000), 100, 2000)
  const own = new Uint8Array(2000)
  for (const at of [0, 1, 7, 999, 1000]) {
    for (const length of [0, 1, 500, 1000]) {
      const expected = new Uint8Array(2000).fill(9)
      expected.set(bytes.subarray(0, length), at)
      copyBytes(bytes.subarray(0, length), shared.fill(9), at)
      assert.deepEqual(Buffer.from(shared), Buffer.from(expected))
      copyBytes(shared, own, 0)
      assert.deepEqual(own, expected)
    }
  }
})

test('a copy that does not fit is refused, and no byte is written', () => {
  const into = new Uint8Array(10)
  assert.throws(() => copyBytes(new Uint8Array(4).fill(1), into, 7), RangeError)
  assert.deepEqual(into, new Uint8Array(10))
})
