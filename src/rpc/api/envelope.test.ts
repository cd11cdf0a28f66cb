import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '../../base/fault.ts'
import { parseEnvelope } from './envelope.ts'

const read = (text: string, batchItemsMax = 100) => parseEnvelope(Buffer.from(text), batchItemsMax)
const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`

/** JSON text of a scalar in one of the ways a client may write it. */
const idText = fc.oneof(
  fc.constantFrom('null', 'true', 'false', '-0', '0.0', '1E+2', '1e400', '0.10'),
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }))
    .map(
      (units) => `"${units.map((unit) => '\\u' + unit.toString(16).padStart(4, '0')).join('')}"`,
    ),
)

test('any scalar id is echoed with the text it was sent with, alone and in a batch', () => {
  fc.assert(
    fc.property(fc.array(idText, { minLength: 1, maxLength: 5 }), (ids) => {
      deepEqual(read(call(ids[0] as string)).entries[0]?.id, ids[0])
      const batch = read(`[${ids.map(call).join(',')}]`)
      deepEqual(
        batch.entries.map((entry) => entry.id),
        ids,
      )
    }),
    { numRuns: 300 },
  )
})

test('any bytes give an envelope or bad_json, never another error', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .array(fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', 'id', ' ', '\u00e9'))
      .map((parts) => Buffer.from(parts.join(''))),
  )
  fc.assert(
    fc.property(bytes, (body) => {
      try {
        ok(parseEnvelope(body, 100).entries.length > 0)
      } catch (thrown) {
        ok(thrown instanceof Fault && thrown.code === 'bad_json')
      }
    }),
    { numRuns: 500 },
  )
})

test('bytes that are not UTF-8 are bad_json, inside strings too', () => {
  throws(() => parseEnvelope(Buffer.from([0x22, 0xff, 0x22]), 100), { code: 'bad_json' })
})

test('a batch over the setting is refused with every id, over a thousand with the first', () => {
  const over = read(`[${call('1')},{"jsonrpc":"2.0","method":"m"},${call('2.0')}]`, 2)
  equal(over.refusal?.message, 'batch too large')
  deepEqual(
    over.entries.map((entry) => entry.id),
    ['1', null, '2.0'],
  )
  const far = read(`[${Array.from({ length: 1001 }, (_, n) => call(`${n}.0`)).join(',')}]`)
  equal(far.refusal?.message, 'batch too large')
  deepEqual(
    far.entries.map((entry) => entry.id),
    ['0.0'],
  )
})

test('a member named __proto__ is a member like any other', () => {
  const { entries } = read('{"__proto__":{"jsonrpc":"2.0","method":"m"},"id":1}')
  deepEqual(entries[0]?.item instanceof Fault && entries[0].id, '1')
})
