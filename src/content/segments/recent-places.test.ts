import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { dagPbLeaf, verbatim, type BlockPlace } from '../../tables/blocks.ts'
import { createRecentPlaces } from './recent-places.ts'

test('what was noted is found as it was, until it is forgotten', () => {
  const places = createRecentPlaces(1024)
  assert.equal(places.find(nameOf(1)), null)
  places.note(nameOf(1), placeOf(1))
  places.note(nameOf(2), { ...placeOf(2), form: dagPbLeaf, size: 4110 })
  places.note(nameOf(3), { ...placeOf(3), bytes: 0, size: 0 })
  assert.deepEqual(places.find(nameOf(1)), placeOf(1))
  assert.deepEqual(places.find(nameOf(2)), { ...placeOf(2), form: dagPbLeaf, size: 4110 })
  assert.deepEqual(places.find(nameOf(3)), { ...placeOf(3), bytes: 0, size: 0 })
  assert.equal(places.has(nameOf(1)), true)
  places.forget(nameOf(1))
  assert.equal(places.find(nameOf(1)), null)
  assert.equal(places.has(nameOf(1)), false)
  assert.notEqual(places.find(nameOf(2)), null)
})

test('the last place that was noted counts, once', () => {
  const places = createRecentPlaces(4)
  places.note(nameOf(1), placeOf(1))
  places.note(nameOf(1), placeOf(2))
  assert.deepEqual(places.find(nameOf(1)), placeOf(2))
  places.forget(nameOf(1))
  assert.equal(places.find(nameOf(1)), null)
})

test('the cache is limited, and never returns the location of another block', () => {
  const places = createRecentPlaces(64)
  for (let number = 1; number <= 1000; number += 1) places.note(nameOf(number), placeOf(number))
  let found = 0
  for (let number = 1; number <= 1000; number += 1) {
    const place = places.find(nameOf(number))
    if (place === null) continue
    assert.deepEqual(place, placeOf(number))
    found += 1
  }
  assert.equal(found, 64)
})

test('names of other functions, and cut ones, are not remembered', () => {
  const places = createRecentPlaces(64)
  const other = nameOf(1)
  other[0] = 0x16
  const cut = nameOf(1).subarray(0, 24)
  for (const name of [other, cut]) {
    places.note(name, placeOf(1))
    assert.equal(places.find(name), null)
  }
})

test('places far into large segments come back whole, or are forgotten', () => {
  const places = createRecentPlaces(64)
  const far: BlockPlace = { file: 2 ** 31 + 7, at: 2 ** 32 - 1, bytes: 2 ** 24, form: 1, size: 1 }
  places.note(nameOf(1), far)
  assert.deepEqual(places.find(nameOf(1)), far)
  places.note(nameOf(1), { ...far, at: 2 ** 32 })
  assert.equal(places.find(nameOf(1)), null)
})

function nameOf(number: number): Uint8Array {
  return Uint8Array.of(0x12, 0x20, ...createHash('sha256').update(String(number)).digest())
}

function placeOf(number: number): BlockPlace {
  return { file: number, at: number * 5000, bytes: 4096, form: verbatim, size: 4096 }
}
