import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  decodeDigits,
  equalBytes,
  fromHex,
  joinLatin1,
  toBareHex,
  toHex,
  toLatin1,
  toQuantity,
} from './hex.ts'

test('bytes become lower-case hex and come back', () => {
  const bytes = Uint8Array.of(0, 1, 0xab, 0xff)
  assert.equal(toHex(bytes), '0x0001abff')
  assert.equal(toBareHex(bytes.subarray(2)), 'abff')
  assert.deepEqual(fromHex('0x0001ABff'), bytes)
  assert.deepEqual(fromHex(''), new Uint8Array())
})

test('a quantity has no leading zeros', () => {
  assert.equal(toQuantity(0n), '0x0')
  assert.equal(toQuantity(255), '0xff')
})

test('text that is not hex is refused, and the message is short', () => {
  for (const text of ['0x1', 'zz', '0x0g', 'x'.repeat(1000)]) {
    assert.throws(
      () => fromHex(text),
      (thrown) => thrown instanceof TypeError && thrown.message.length < 100,
    )
  }
})

test('bytes are equal by content, not by length alone', () => {
  assert.ok(equalBytes(Uint8Array.of(1, 2), Buffer.from([1, 2])))
  assert.ok(!equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)))
  assert.ok(!equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0)))
})

test('digits become bytes in any case, from any place, at any length', () => {
  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefABCDEF'.split('')),
    maxLength: 600,
  })
  fc.assert(
    fc.property(digits, fc.constantFrom('', '0x'), (text, prefix) => {
      const even = text.length % 2 === 0 ? text : `0${text}`
      const expected = new Uint8Array(Buffer.from(even, 'hex'))
      assert.deepEqual(decodeDigits(prefix + text, prefix.length), expected)
      const wide = new Uint8Array(320)
      wide.set(expected, 320 - expected.length)
      assert.deepEqual(decodeDigits(prefix + text, prefix.length, 320), wide)
    }),
  )
})

test('one character that is no digit makes the whole none', () => {
  const foreign = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 1 })
    .filter((unit) => !/[0-9a-f]/i.test(unit))
  fc.assert(
    fc.property(fc.nat(63), fc.boolean(), foreign, (at, long, unit) => {
      const text = '0'.repeat(long ? 600 : 64)
      assert.equal(decodeDigits(text.slice(0, at) + unit + text.slice(at + 1), 0), null)
    }),
  )
})

test('two arrays joined are the text of their bytes in a row', () => {
  const [first, second] = [Uint8Array.of(0, 255), Uint8Array.of(128, 65)]
  assert.equal(joinLatin1(first, second), toLatin1(Uint8Array.of(0, 255, 128, 65)))
  assert.equal(joinLatin1(first, new Uint8Array(0)).length, 2)
  assert.throws(() => joinLatin1(new Uint8Array(200), new Uint8Array(57)), RangeError)
})
