import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAccept } from './accept-header.ts'

const typesOf = (header: string | undefined) => parseAccept(header).map(({ type }) => type)

test('the best liked comes first, of equals the first, and what is refused is left out', () => {
  assert.deepEqual(typesOf('a/b;q=0.1, c/d, E/F;q=0.5, g/h;q=0, i/j;q=1'), [
    'c/d',
    'i/j',
    'e/f',
    'a/b',
  ])
})

test('parameters are listed without the quality, and quotes may hold what separates', () => {
  const [one] = parseAccept('a/b; Order="x,y;\\"z"; q=0.5; dups=y')
  assert.deepEqual(
    [...(one?.parameters ?? [])],
    [
      ['order', 'x,y;"z'],
      ['dups', 'y'],
    ],
  )
  assert.equal(one?.quality, 0.5)
})

test('what is malformed is passed over, and no header likes nothing', () => {
  assert.deepEqual(typesOf(undefined), [])
  assert.deepEqual(typesOf('html, /, a/, a b/c, ,;;,"a/b, c/d'), [])
  assert.deepEqual(typesOf('x/y;q=high, a/b;charset'), ['a/b'])
})

test('a header of nothing but separators is read in time', () => {
  assert.deepEqual(typesOf(','.repeat(16_000)), [])
  assert.deepEqual(typesOf(`a/b${';'.repeat(16_000)}`), ['a/b'])
  assert.deepEqual(typesOf('"'.repeat(16_000)), [])
})
