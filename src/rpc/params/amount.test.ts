import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAmount, parseTimeOrGas } from './amount.ts'

test('a number is read in hex, in decimal and as JSON', () => {
  for (const value of ['0x10', '0X10', '0x0010', '16', 16]) {
    assert.equal(parseAmount(value, 0), 16n)
    assert.equal(parseTimeOrGas(value, 0), 16n)
  }
  assert.equal(parseAmount(`0x${'f'.repeat(64)}`, 0), 2n ** 256n - 1n)
})

test('what is no number, or too large, is refused by its text', () => {
  for (const value of ['', '0x', '-1', -1, 1.5, '1.5', 'x', null, {}, [], true, 1e21]) {
    assert.throws(() => parseAmount(value, 1), { message: /^invalid argument 1: invalid number / })
  }
  assert.throws(() => parseAmount((2n ** 256n).toString(), 0), { message: /not below 2\^256$/ })
  assert.throws(() => parseTimeOrGas('0x8000000000000000', 0), { message: /not below 2\^63$/ })
})
