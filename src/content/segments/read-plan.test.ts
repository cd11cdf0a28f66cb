import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planReads } from './run-reader.ts'

const place = (file: number, at: number, bytes: number) =>
  ({ file, at, bytes, form: 0, size: bytes }) as const

test('adjacent blocks of one file are read together, up to one buffer', () => {
  const places = [0, 1, 2, 3, 4].map((index) => place(1, index * 100, 100))
  assert.deepEqual(
    planReads(places, 350).map(({ file, at, bytes, pieces }) => [file, at, bytes, pieces.length]),
    [
      [1, 0, 300, 3],
      [1, 300, 200, 2],
    ],
  )
})

test('distant and backward blocks are read separately, a record head in between is read along', () => {
  const places = [
    place(1, 0, 10),
    place(1, 60, 10),
    place(2, 70, 10),
    place(2, 0, 10),
    place(2, 9000, 10),
  ]
  assert.deepEqual(
    planReads(places, 100_000).map(({ file, at, bytes }) => [file, at, bytes]),
    [
      [1, 0, 70],
      [2, 70, 10],
      [2, 0, 10],
      [2, 9000, 10],
    ],
  )
})

test('a missing block keeps its position and costs no read', () => {
  const [first, second, ...rest] = planReads(
    [null, place(1, 5, 10), null, place(3, 0, 5), null],
    1000,
  )
  assert.deepEqual(
    first?.pieces.map((piece) => piece?.from ?? null),
    [null, 0, null],
  )
  assert.deepEqual(
    second?.pieces.map((piece) => piece?.from ?? null),
    [0, null],
  )
  assert.deepEqual(rest, [])
  assert.deepEqual(
    planReads([null, null], 1000).map(({ file, bytes }) => [file, bytes]),
    [[0, 0]],
  )
  assert.deepEqual(planReads([], 1000), [])
})

test('a piece that is larger than a buffer is a read of its own', () => {
  assert.deepEqual(
    planReads([place(1, 0, 10), place(1, 10, 5000)], 100).map(({ bytes }) => bytes),
    [10, 5000],
  )
})
