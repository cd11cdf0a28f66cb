import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeHeader, encodeHeader } from './header.ts'
import type { Header } from './header.ts'
import { Malformed, type RlpItem, decodeRlp, encodeInteger, encodeRlp } from './rlp.ts'

const hash = new Uint8Array(32).fill(1)

/** One item per field, in order; each value differs from its neighbours. */
const items: readonly RlpItem[] = [
  ...[32, 32, 20, 32, 32, 32, 256].map((length, index) => new Uint8Array(length).fill(index)),
  ...[0, 7, 30_000_000, 21_000, 1_700_000_000].map(encodeInteger),
  new Uint8Array(5).fill(12),
  new Uint8Array(32).fill(13),
  new Uint8Array(8),
  encodeInteger(7),
  new Uint8Array(32).fill(16),
  encodeInteger(131_072),
  encodeInteger(0),
  new Uint8Array(32).fill(19),
  new Uint8Array(32).fill(20),
  new Uint8Array(32).fill(21),
  encodeInteger(22),
]

for (let count = 15; count <= 23; count += 1) {
  test(`a header of ${count} fields is written back to its bytes`, () => {
    const bytes = encodeRlp(items.slice(0, count))
    assert.deepEqual(encodeHeader(decodeHeader(bytes)), bytes)
  })
}

test('fields land under their names', () => {
  const header = decodeHeader(encodeRlp(items))
  assert.deepEqual(header.miner, new Uint8Array(20).fill(2))
  assert.deepEqual(header.stateRoot, new Uint8Array(32).fill(3))
  assert.deepEqual(header.transactionsRoot, new Uint8Array(32).fill(4))
  assert.deepEqual(header.receiptsRoot, new Uint8Array(32).fill(5))
  assert.equal(header.number, 7n)
  assert.equal(header.gasUsed, 21_000n)
  assert.equal(header.timestamp, 1_700_000_000n)
  assert.deepEqual(header.nonce, new Uint8Array(8))
  assert.equal(header.baseFeePerGas, 7n)
  assert.equal(header.excessBlobGas, 0n)
  assert.deepEqual(header.requestsHash, new Uint8Array(32).fill(20))
  assert.equal(header.slotNumber, 22n)
})

test('fields of an unknown fork are preserved', () => {
  const bytes = encodeRlp([...items, hash, [hash]])
  const header = decodeHeader(bytes)
  assert.equal(header.unknownFields?.length, 2)
  assert.deepEqual(encodeHeader(header), bytes)
})

test('a header of 14 fields, or one with a field of another form, is refused', () => {
  assert.throws(() => decodeHeader(encodeRlp(items.slice(0, 14))), Malformed)
  for (const [index, item] of items.entries()) {
    const wrong = item.length === 5 && index === 12 ? [] : new Uint8Array(33)
    assert.throws(() => decodeHeader(encodeRlp(items.with(index, wrong))), Malformed, `${index}`)
    assert.throws(() => decodeHeader(encodeRlp(items.with(index, []))), Malformed, `${index}`)
  }
  for (const index of [7, 8, 9, 10, 11, 15, 17, 18, 22]) {
    const padded = items.with(index, Uint8Array.of(0, 1))
    assert.throws(() => decodeHeader(encodeRlp(padded)), Malformed, `${index}`)
  }
})

test('an optional field without all before it is refused', () => {
  const { baseFeePerGas, ...gap } = decodeHeader(encodeRlp(items.slice(0, 17)))
  assert.equal(baseFeePerGas, 7n)
  assert.throws(() => encodeHeader(gap), Malformed)
  const short: Header = decodeHeader(encodeRlp(items.slice(0, 16)))
  assert.throws(() => encodeHeader({ ...short, slotNumber: 1n }), Malformed)
  assert.throws(() => encodeHeader({ ...short, unknownFields: [hash] }), Malformed)
})

test('foreign bytes are malformed or a header that is written back to them', () => {
  const valid = encodeRlp(items)
  const edits = fc.array(fc.tuple(fc.nat(valid.length - 1), fc.nat(255)), { maxLength: 3 })
  fc.assert(
    fc.property(edits, (list) => {
      const bytes = list.reduce((now, [at, value]) => now.with(at, value), valid)
      try {
        assert.deepEqual(encodeHeader(decodeHeader(bytes)), bytes)
        assert.ok(decodeRlp(bytes))
      } catch (thrown) {
        if (!(thrown instanceof Malformed)) throw thrown
      }
    }),
    { numRuns: 500 },
  )
})
