import assert from 'node:assert/strict'
import test from 'node:test'
import { setNewest } from './lru-cache.ts'

test('beyond its limit a map drops the oldest key', () => {
  const map = new Map<string, number>()
  for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) setNewest(map, key, at, 3)
  assert.deepEqual(
    [...map],
    [
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ],
  )
})

test('setting a key again makes it the newest and drops no other', () => {
  const map = new Map([
    ['a', 0],
    ['b', 1],
  ])
  setNewest(map, 'a', 2, 2)
  assert.deepEqual(
    [...map],
    [
      ['b', 1],
      ['a', 2],
    ],
  )
})

test('a map that grew past a bound that was lowered comes down to it', () => {
  const map = new Map([
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ])
  setNewest(map, 'd', 3, 2)
  assert.deepEqual([...map.keys()], ['c', 'd'])
})
