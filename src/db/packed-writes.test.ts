import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWritePacker, packedBytes, unpackWrite } from './packed-writes.ts'
import type { SqlValue, Statement } from './writer.ts'

const numbers = [0, -0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 1.5, 1e300, 1_795_000_000_000]
const bigints = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]
const texts = ['', 'text', 'ünïcödé \u{1f600}', 'x'.repeat(9000)]
const blobs = [new Uint8Array(0), Uint8Array.of(1, 2, 3), new Uint8Array(70_000).fill(7)]
const values: readonly SqlValue[] = [null, ...numbers, ...bigints, ...texts, ...blobs]

test('writes come out as they went in, in any order', () => {
  const writes: readonly (readonly Statement[])[] = [
    [{ sql: 'one', parameters: values }],
    [],
    [
      { sql: 'two', parameters: [], rows: values.map((value) => [value, 1]), require: 'change' },
      { sql: 'one', parameters: [1], rows: [] },
      { sql: 'three', parameters: [], require: 'change' },
    ],
  ]
  const packer = createWritePacker()
  for (let round = 0; round < 3; round += 1) {
    for (const write of writes) packer.add(write)
    const packed = structuredClone(packer.take())
    assert.deepEqual(packed.sqls, ['one', 'two', 'three'])
    for (const at of [2, 0, 1]) assert.deepEqual(unpackWrite(packed, at), writes[at])
    const sizes = writes.map((_, at) => packedBytes(packed, at))
    assert.equal(
      sizes.reduce((sum, each) => sum + each, 0),
      packed.bytes.length,
    )
  }
  assert.deepEqual(packer.take().ends, [])
})

test('a caller may reuse its BLOBs once they were added', () => {
  const packer = createWritePacker()
  const blob = Buffer.from('before')
  packer.add([{ sql: 'one', parameters: [blob] }])
  blob.fill(0)
  const [statement] = unpackWrite(packer.take(), 0)
  assert.equal(Buffer.from(statement?.parameters[0] as Uint8Array).toString(), 'before')
})

test('a value that SQLite cannot store is refused, and its write leaves no data', () => {
  const packer = createWritePacker()
  packer.add([{ sql: 'one', parameters: [1] }])
  const wrong = { sql: 'two', parameters: ['some', undefined as unknown as null] }
  assert.throws(() => packer.add([wrong]), TypeError)
  packer.add([{ sql: 'three', parameters: [3] }])
  const packed = packer.take()
  assert.deepEqual(unpackWrite(packed, 0), [{ sql: 'one', parameters: [1] }])
  assert.deepEqual(unpackWrite(packed, 1), [{ sql: 'three', parameters: [3] }])
  assert.equal(packed.ends.length, 2)
})
