import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareKey } from './agree.ts'

test('params that differ never share a key', () => {
  const lists: readonly (readonly unknown[])[] = [
    [['A', 'B']],
    [[['A', 'B']]],
    [[['A'], ['B']]],
    ['A', 'B'],
    ['AB'],
    ['1'],
    [1],
    [null],
    ['null'],
    [true],
    ['t'],
    [[]],
    [{}],
    [{ a: 1 }],
    [['a', 1]],
    [{ a: '1' }],
    ['s1:A'],
    [],
    ['a0:'],
  ]
  const keys = new Set(lists.map((params) => shareKey('m', params)))
  assert.equal(keys.size, lists.length)
  assert.notEqual(shareKey('m', ['a']), shareKey('m1', ['a']))
  assert.notEqual(shareKey('m', { json: '["a"]' }), shareKey('m', ['["a"]']))
  assert.notEqual(shareKey('m', { json: '[1]' }), shareKey('m', { json: '[1 ]' }))
})

test('two keys are equal exactly when the calls are, whatever JSON they hold', () => {
  // Few letters and small numbers make near misses common.
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: fc.constantFrom('a', '1', ':', ';', 's', 'o', 'n'), maxLength: 4 }),
      fc.integer({ min: -2, max: 12 }),
      fc.constantFrom(null, true, false, 0.5, 1e21),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '1:a', '__proto__'), tie('any'), { maxKeys: 2 }),
    ),
  })).any
  const call = fc.tuple(
    fc.string({ unit: fc.constantFrom('m', '1', ':'), maxLength: 3 }),
    fc.array(value, { maxLength: 3 }),
  )
  const spell = ([method, params]: [string, unknown[]]): string => JSON.stringify([method, params])
  fc.assert(
    fc.property(call, call, (one, other) => {
      assert.equal(shareKey(...one) === shareKey(...other), spell(one) === spell(other))
      assert.equal(
        shareKey(...one),
        shareKey(one[0], JSON.parse(JSON.stringify(one[1])) as unknown[]),
      )
    }),
    { numRuns: 3000 },
  )
})

test('long params have short keys, still distinct', () => {
  const long = 'x'.repeat(100_000)
  assert.ok(shareKey('m', [long]).length <= 64)
  assert.notEqual(shareKey('m', [long]), shareKey('m', [`${long}x`]))
})
