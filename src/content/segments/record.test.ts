import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  headBytesMax,
  leafTableRecord,
  readHead,
  readLeafTable,
  recordBytes,
  writeHead,
} from './record.ts'

const key = Uint8Array.from({ length: 34 }, (_, index) => index)

test('the head of a record describes its content at any offset', () => {
  const bytes = new Uint8Array(200)
  const payloadAt = writeHead(bytes, 30, 'object', key, 1000)
  assert.equal(payloadAt, 30 + recordBytes(key, 0))
  assert.deepEqual(readHead(bytes.subarray(30)), {
    kind: 'object',
    keyBytes: 34,
    payloadBytes: 1000,
  })
})

test('a head that is torn or has one bit flipped is none', () => {
  const bytes = new Uint8Array(headBytesMax)
  const end = writeHead(bytes, 0, 'leaves', key, 70_000)
  for (let bit = 0; bit < end * 8; bit += 1) {
    const spoilt = bytes.slice()
    spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(readHead(spoilt), null, `bit ${bit}`)
  }
  for (let length = 0; length < end; length += 1) {
    assert.equal(readHead(bytes.subarray(0, length)), null)
  }
  assert.equal(readHead(new Uint8Array(headBytesMax)), null)
})

test('a leaf table is read back unchanged, and is refused with a flipped bit', () => {
  const digests = [1, 2, 3].map((value) => new Uint8Array(32).fill(value))
  const table = {
    file: 7,
    at: 2 ** 33,
    form: 1,
    leafBytes: 262_144,
    lastBytes: 5,
    digests,
  } as const
  const { key: checksum, payload } = leafTableRecord(table)
  assert.deepEqual(readLeafTable(checksum, payload), table)
  for (let bit = 0; bit < payload.length * 8; bit += 5) {
    const spoilt = payload.slice()
    spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    assert.equal(readLeafTable(checksum, spoilt), null)
  }
  assert.equal(readLeafTable(checksum, payload.subarray(0, 40)), null)
})
