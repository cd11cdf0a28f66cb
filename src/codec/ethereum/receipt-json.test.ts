import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromHex, toHex, toQuantity } from '../../base/hex.ts'
import { decodeEntries, encodeEntries } from './list.ts'
import { Malformed, encodeInteger, encodeRlp } from './rlp.ts'
import { encodeReceiptsJson } from './receipt-json.ts'
import { encodeReceipt } from './receipt.ts'
import { UnsupportedTransaction } from './transaction.ts'

const data = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const receipts = fc.record({
  type: fc.constantFrom(0, 1, 2, 3, 4),
  status: fc.boolean(),
  postState: fc.option(data(32)),
  cumulativeGasUsed: fc.nat().map(BigInt),
  logsBloom: data(256),
  logs: fc.array(
    fc.record({
      address: data(20),
      topics: fc.array(data(32), { maxLength: 4 }),
      data: fc.uint8Array({ maxLength: 70 }),
    }),
    { maxLength: 4 },
  ),
})
type Sample = typeof receipts extends fc.Arbitrary<infer T> ? T : never

const encoded = (one: Sample): Uint8Array =>
  encodeReceipt({ ...one, status: one.postState === null ? one.status : null })

function print(one: Sample): Record<string, unknown> {
  const outcome = { status: one.status ? '0x1' : '0x0' }
  return {
    type: toQuantity(one.type),
    ...(one.postState === null ? outcome : { root: toHex(one.postState) }),
    cumulativeGasUsed: toQuantity(one.cumulativeGasUsed),
    gasUsed: '0x1',
    contractAddress: null,
    logsBloom: toHex(one.logsBloom),
    logs: one.logs.map((log) => ({
      address: toHex(log.address),
      topics: log.topics.map(toHex),
      data: toHex(log.data),
      logIndex: '0x0',
      removed: false,
    })),
  }
}

test('receipts are encoded to the bytes that the receipts root commits to', () => {
  fc.assert(
    fc.property(fc.array(receipts, { maxLength: 5 }), (list) => {
      assert.deepEqual(encodeReceiptsJson(list.map(print)), encodeEntries(list.map(encoded)))
    }),
    { numRuns: 60 },
  )
})

const plain = {
  type: '0x2',
  status: '0x1',
  cumulativeGasUsed: '0x5208',
  logsBloom: '0x' + '00'.repeat(256),
  logs: [{ address: '0x' + '11'.repeat(20), topics: [], data: '0x' }],
}

test('an empty or null root means that there is a status', () => {
  for (const root of ['0x', null]) {
    assert.deepEqual(encodeReceiptsJson([{ ...plain, root }]), encodeReceiptsJson([plain]))
  }
})

test("a deposit's receipt has its nonce and version exactly when the JSON has a version", () => {
  const deposit = { ...plain, type: '0x7e', logs: [], depositNonce: '0x07' }
  const items = [
    Uint8Array.of(1),
    encodeInteger(0x5208),
    fromHex(plain.logsBloom),
    [],
    encodeInteger(7),
    encodeInteger(1),
  ]
  const entryOf = (json: object) => decodeEntries(encodeReceiptsJson([json]))[0]
  assert.deepEqual(
    entryOf({ ...deposit, depositReceiptVersion: '0x1' }),
    Uint8Array.of(0x7e, ...encodeRlp(items)),
  )
  assert.deepEqual(entryOf(deposit), Uint8Array.of(0x7e, ...encodeRlp(items.slice(0, 4))))
})

test('a receipt of another form is malformed, and one of an unknown type has its own error', () => {
  const log = plain.logs[0]
  const wrong: readonly object[] = [
    { status: undefined },
    { status: '0x2' },
    { status: true },
    { root: '0x11' },
    { cumulativeGasUsed: 5 },
    { logsBloom: '0x00' },
    { logs: null },
    { logs: [null] },
    { logs: [{ ...log, topics: undefined }] },
    { logs: [{ ...log, topics: ['0x01'] }] },
    { logs: [{ ...log, topics: Array.from({ length: 5 }, () => '0x' + '00'.repeat(32)) }] },
    { logs: [{ ...log, data: '0x1' }] },
    { logs: [{ ...log, address: '0x' }] },
  ]
  for (const part of wrong) {
    assert.throws(
      () => encodeReceiptsJson([{ ...plain, ...part }]),
      Malformed,
      JSON.stringify(part),
    )
  }
  for (const json of [null, {}, [null], ['0x01']]) {
    assert.throws(() => encodeReceiptsJson(json), Malformed)
  }
  assert.throws(() => encodeReceiptsJson([{ ...plain, type: '0x78' }]), UnsupportedTransaction)
})
