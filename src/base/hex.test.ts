import assert from 'node:assert/strict'
import { test } from 'node:test'
import { equalBytes, fromHex, toBareHex, toHex, toQuantity } from './hex.ts'

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
