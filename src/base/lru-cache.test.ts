import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLruCache, setNewest } from './lru-cache.ts'

const ten = () => 10

test('returns the value that was added under the same key, and no other', () => {
  const recent = createLruCache<string>({ sizeMax: 1_000, sizeOf: ten })
  recent.add('a', 'first')
  recent.add('a', 'second')
  assert.equal(recent.find('a'), 'first')
  assert.equal(recent.find('b'), null)
})

test('stays within its size, and keeps what is used again and again', () => {
  const recent = createLruCache<string>({ sizeMax: 1_000, sizeOf: ten })
  recent.add('used', 'value')
  for (let number = 1; number <= 1_000; number += 1) {
    recent.add(`${number}`, 'value')
    assert.equal(recent.find('used'), 'value')
  }
  const cached = Array.from({ length: 1_000 }, (_, index) => recent.find(`${index + 1}`))
  const count = cached.filter((value) => value !== null).length
  assert.ok(count * 10 <= 1_000, `${count} entries of 10 are held`)
  assert.ok(count * 10 >= 400, `${count} entries of 10 are held`)
})

test('a large value does not displace all others, and a cache of size 0 is empty', () => {
  const sizeOf = (key: string, value: string) => key.length + value.length
  const recent = createLruCache<string>({ sizeMax: 640, sizeOf })
  recent.add('large', 'value!')
  recent.add('small', 'value')
  assert.deepEqual([recent.find('large'), recent.find('small')], [null, 'value'])
  const none = createLruCache<string>({ sizeMax: 0, sizeOf })
  none.add('a', 'value')
  assert.equal(none.find('a'), null)
})

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
