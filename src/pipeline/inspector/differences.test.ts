import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { differencesOf } from './differences.ts'

test('equal values have no differences', () => {
  const value = { a: [1, { b: null }], c: '0x1' }
  deepEqual(differencesOf(value, structuredClone(value)), { found: [], left: 0 })
  deepEqual(differencesOf('0x1', '0x1'), { found: [], left: 0 })
})

test('each difference has a JSON pointer, also for a missing member', () => {
  const before = { number: '0x1', list: ['a', 'b'], gone: 1, 'a/b~': true, kind: [] }
  const after = { number: '0x2', list: ['a', 'c', 'd'], come: null, 'a/b~': false, kind: {} }
  deepEqual(differencesOf(before, after).found, [
    { at: '/number', before: '0x1', after: '0x2' },
    { at: '/list/1', before: 'b', after: 'c' },
    { at: '/list/2', after: 'd' },
    { at: '/gone', before: 1 },
    { at: '/a~1b~0', before: true, after: false },
    { at: '/kind', before: [], after: {} },
    { at: '/come', after: null },
  ])
  deepEqual(differencesOf(null, '0x').found, [{ at: '', before: null, after: '0x' }])
})

test('the number and the depth of reported differences are limited', () => {
  const long = (value: number) => Array.from({ length: 1_000 }, () => value)
  const { found, left } = differencesOf(long(1), long(2))
  equal(found.length, 200)
  equal(left, 800)
  const deep = (value: number) => {
    let nested: unknown = value
    for (let level = 0; level < 500; level++) nested = [nested]
    return nested
  }
  equal(differencesOf(deep(1), deep(2)).found.length, 1)
  equal(differencesOf(deep(1), deep(1)).found.length, 0)
})
