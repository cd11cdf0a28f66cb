import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWithdrawal, withdrawalToBytesArray } from '@ethereumjs/util'
import fc from 'fast-check'
import { toHex } from '../../base/hex.ts'
import { Malformed, type RlpItem, encodeRlp } from './rlp.ts'
import { encodeWithdrawalsJson } from './withdrawal-json.ts'

const integer = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const withdrawals = fc.record({
  index: integer,
  validatorIndex: integer,
  amount: integer,
  address: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes)),
})

test('withdrawals printed by another implementation are encoded to its bytes', () => {
  fc.assert(
    fc.property(fc.array(withdrawals, { maxLength: 20 }), (list) => {
      const made = list.map((one) => createWithdrawal(one as never))
      const items = made.map((one) => withdrawalToBytesArray(one) as unknown as RlpItem)
      const expected = encodeRlp(items)
      assert.deepEqual(encodeWithdrawalsJson(made.map((one) => one.toJSON())), expected)
    }),
    { numRuns: 50 },
  )
})

test('a withdrawal of another form is malformed', () => {
  const one = { index: '0x1', validatorIndex: '0x2', address: '0x' + '11'.repeat(20), amount: '0x' }
  for (const json of [null, {}, [null], [one], [{ ...one, amount: 5 }], [{ index: '0x1' }]]) {
    assert.throws(() => encodeWithdrawalsJson(json), Malformed)
  }
})
