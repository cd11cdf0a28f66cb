import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOfText, textOfBytes } from './byte-text.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

test('any bytes read as text are written as the same bytes', () => {
  const odd = fc.constantFrom(
    'ff',
    '80',
    'c3a9',
    'e282ac',
    'f0908591',
    'eda080',
    'edb080',
    'f0',
    'e282',
    '00',
  )
  const some = fc.array(odd).map((parts) => hex(parts.join('')))
  fc.assert(
    fc.property(fc.oneof(some, fc.uint8Array({ maxLength: 64 })), (bytes) => {
      const text = textOfBytes(bytes)
      assert.deepEqual(new Uint8Array(bytesOfText(text)), bytes)
      // The text is unique: another text has other bytes.
      if (text.isWellFormed()) assert.equal(text, Buffer.from(bytes).toString('utf8'))
    }),
  )
})

test('what is UTF-8 in a text stays as it is around a byte that is not', () => {
  assert.equal(textOfBytes(hex('61c3a9ff62f0908591')), 'aé\udcffb\u{10151}')
  // Overlong forms, encoded surrogates, code points above the maximum: each byte becomes a surrogate.
  assert.equal(textOfBytes(hex('c0af')), '\udcc0\udcaf')
  assert.equal(textOfBytes(hex('eda080')), '\udced\udca0\udc80')
  assert.equal(textOfBytes(hex('f4908080')), '\udcf4\udc90\udc80\udc80')
})
