import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../base/fault.ts'
import { hasDirective, namesTag, readRange } from './conditional-request.ts'

const none = { ifRange: undefined, tag: '"a"' }

test('tags are compared weakly, in lists, and a star names whatever there is', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b,c",W/"a"', '*']) {
    assert.equal(namesTag(header, '"a"'), true, header)
    assert.equal(namesTag(header, 'W/"a"'), true, header)
  }
  for (const header of [undefined, '', 'a', '"b"', '"a', '"A"']) {
    assert.equal(namesTag(header, '"a"'), false, header)
  }
})

test('a directive is found among others', () => {
  assert.equal(hasDirective('no-cache, Only-If-Cached', 'only-if-cached'), true)
  assert.equal(hasDirective('max-age="only-if-cached"', 'only-if-cached'), false)
  assert.equal(hasDirective(undefined, 'only-if-cached'), false)
})

test('a weak tag or another one asks for the whole', () => {
  assert.deepEqual(readRange('bytes=0-0', 9n, { ifRange: '"a"', tag: '"a"' }), {
    offset: 0n,
    length: 1n,
  })
  for (const [ifRange, tag] of [
    ['"b"', '"a"'],
    ['W/"a"', 'W/"a"'],
    ['Sat, 01 Jan 2028 00:00:00 GMT', '"a"'],
  ] as const) {
    assert.equal(readRange('bytes=0-0', 9n, { ifRange, tag }), null)
  }
})

test('for every range what is given lies inside the content, or the range is refused', () => {
  const places = ['', '0', '1', '8', '9', '10', '9223372036854775807', '99999999999999999999']
  for (const size of [0n, 1n, 9n, 2n ** 60n]) {
    for (const first of places) {
      for (const last of places) {
        try {
          const range = readRange(`bytes=${first}-${last}`, size, none)
          if (range === null) continue
          const { offset, length } = range
          assert.ok(offset >= 0n && length > 0n && offset + length <= size, `${first}-${last}`)
        } catch (thrown) {
          assert.ok(thrown instanceof Fault && thrown.code === 'bad_range')
        }
      }
    }
  }
})
