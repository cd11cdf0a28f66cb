import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createPlaceTable } from './pending-blocks.ts'

const name = (text: string): Uint8Array =>
  Uint8Array.of(0x12, 0x20, ...createHash('sha256').update(text).digest())

test('added entries are found, up to the last one, and no others', () => {
  const table = createPlaceTable(1024)
  for (let at = 0; at < 1024; at += 1) table.add(name(`${at}`), 3, at, at + 1)
  assert.equal(table.size, 1024)
  for (let at = 0; at < 1024; at += 1) {
    const found = { file: 3, at, bytes: at + 1, form: 0, size: at + 1 }
    assert.deepEqual(table.find(name(`${at}`)), found)
    assert.equal(table.find(name(`other ${at}`)), null)
  }
  assert.throws(() => table.add(name('one more'), 3, 0, 1), RangeError)
  table.clear()
  assert.equal(table.has(name('7')), false)
  table.add(name('one more'), 4, 0, 1)
  assert.equal(table.has(name('one more')), true)
})

test('names with equal beginnings are distinguished, and other hash functions are not found', () => {
  const table = createPlaceTable(8)
  const alike = Array.from({ length: 8 }, (_, last) => {
    const multihash = name('alike')
    multihash[33] = last
    return multihash
  })
  for (const [at, each] of alike.entries()) table.add(each, 1, at, 1)
  assert.deepEqual(
    alike.map((each) => table.find(each)?.at),
    [0, 1, 2, 3, 4, 5, 6, 7],
  )
  assert.equal(table.has(name('alike').subarray(0, 33)), false)
})

test('rows come in the order of names', () => {
  const table = createPlaceTable(64)
  const names = Array.from({ length: 50 }, (_, at) => name(`${at}`))
  for (const [at, each] of names.entries()) table.add(each, 1, at, 1)
  const order = table.order()
  const rows = [...table.rows(order, 0, 20), ...table.rows(order, 20, 64)]
  const hex = rows.map(([hash]) => Buffer.from(hash).toString('hex'))
  assert.deepEqual(hex, names.map((each) => Buffer.from(each).toString('hex')).toSorted())
})

test('a size that is no power of two is refused', () => {
  for (const entries of [0, 3, 2 ** 21]) assert.throws(() => createPlaceTable(entries), RangeError)
})
