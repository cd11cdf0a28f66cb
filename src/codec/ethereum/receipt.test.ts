import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { Malformed, type RlpItem, encodeRlp } from './rlp.ts'
import { decodeReceipt, encodeReceipt } from './receipt.ts'
import type { Receipt } from './receipt.ts'
import { decodeEntries } from './list.ts'
import { orderedRoot } from './ordered-trie.ts'
import { encodeReceiptsJson } from './receipt-json.ts'
import { UnsupportedTransaction } from './transaction.ts'
import { toHex } from '../../base/hex.ts'

const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const outcome = fc.oneof(
  fc.boolean().map((status) => ({ status, postState: null })),
  bytesOf(32).map((postState) => ({ status: null, postState })),
)
const rest = fc.record(
  {
    type: fc.nat(4),
    cumulativeGasUsed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    logsBloom: bytesOf(256),
    logs: fc.array(
      fc.record(
        {
          address: bytesOf(20),
          topics: fc.array(bytesOf(32), { maxLength: 4 }),
          data: fc.uint8Array({ maxLength: 70 }),
        },
        { noNullPrototype: true },
      ),
      { maxLength: 3 },
    ),
  },
  { noNullPrototype: true },
)
const receipts: fc.Arbitrary<Receipt> = fc
  .tuple(outcome, rest)
  .map(([first, others]) => ({ ...others, ...first }))

const bloom = new Uint8Array(256)
const log = [new Uint8Array(20), [new Uint8Array(32)], new Uint8Array(3)]
const one = Uint8Array.of(1)

const refused: readonly (readonly [string, RlpItem])[] = [
  ['a status of 2', [Uint8Array.of(2), one, bloom, []]],
  ['a status of a zero byte', [Uint8Array.of(0), one, bloom, []]],
  ['a post-state of 31 bytes', [new Uint8Array(31), one, bloom, []]],
  ['gas with a leading zero', [one, Uint8Array.of(0, 1), bloom, []]],
  ['a bloom of 255 bytes', [one, one, bloom.subarray(1), []]],
  ['logs that are a string', [one, one, bloom, one]],
  ['a log of two items', [one, one, bloom, [log.slice(0, 2)]]],
  ['an address of 19 bytes', [one, one, bloom, [log.with(0, new Uint8Array(19))]]],
  ['a topic of 31 bytes', [one, one, bloom, [log.with(1, [new Uint8Array(31)])]]],
  [
    'five topics',
    [
      one,
      one,
      bloom,
      [
        log.with(
          1,
          Array.from({ length: 5 }, () => bloom.subarray(224)),
        ),
      ],
    ],
  ],
  ['three items', [one, one, bloom]],
  ['five items', [one, one, bloom, [], []]],
  ['a string', bloom],
]

test('any receipt is read back as it was written', () => {
  fc.assert(
    fc.property(receipts, (receipt) => {
      const raw = encodeReceipt(receipt)
      assert.deepEqual(decodeReceipt(raw), receipt)
      assert.deepEqual(encodeReceipt(decodeReceipt(raw)), raw)
    }),
  )
})

for (const [name, item] of refused) {
  test(`a receipt with or of ${name} is refused`, () => {
    assert.throws(() => decodeReceipt(encodeRlp(item)), Malformed)
    assert.throws(() => decodeReceipt(Uint8Array.of(2, ...encodeRlp(item))), Malformed)
  })
}

test('a receipt of an unknown type has another error than malformed bytes', () => {
  for (const type of [0x00, 0x05, 0x78]) {
    assert.throws(() => decodeReceipt(Uint8Array.of(type, 0xc0)), UnsupportedTransaction)
  }
  for (const bytes of [[], [0x80], [2], [2, 0xc0], [0x7e, 0xc0]]) {
    assert.throws(() => decodeReceipt(Uint8Array.from(bytes)), Malformed)
  }
})

test('a receipt with neither status nor post-state cannot be written', () => {
  const receipt = decodeReceipt(encodeRlp([one, one, bloom, [log]]))
  assert.deepEqual([receipt.status, receipt.logs.length], [true, 1])
  assert.throws(() => encodeReceipt({ ...receipt, status: null }), Malformed)
})

test('a deposit may have a nonce and a version, and no other receipt', () => {
  const items = [one, one, bloom, []]
  for (const extra of [[], [one], [one, one]]) {
    const raw = Uint8Array.of(0x7e, ...encodeRlp([...items, ...extra]))
    assert.deepEqual(encodeReceipt(decodeReceipt(raw)), raw)
    assert.equal(decodeReceipt(raw).depositReceiptVersion, extra[1] && 1n)
  }
  for (const type of [0x02, 0x64, 0x6a, 0x7f]) {
    const raw = Uint8Array.of(type, ...encodeRlp(items))
    assert.deepEqual(encodeReceipt(decodeReceipt(raw)), raw)
    const more = Uint8Array.of(type, ...encodeRlp([...items, one]))
    assert.throws(() => decodeReceipt(more), Malformed)
  }
  const more = Uint8Array.of(0x7e, ...encodeRlp([...items, one, one, one]))
  assert.throws(() => decodeReceipt(more), Malformed)
})

const baseSepolia = new URL(
  '../../../test/fakes/rollups/base-sepolia-receipts.json',
  import.meta.url,
)

// The roots that paradigmxyz/reth expects (crates/optimism/consensus/src/proof.rs).
test('receipts of Base Sepolia have the root of their block, without and with the nonce', () => {
  const { receipts } = JSON.parse(readFileSync(baseSepolia, 'utf8')) as { receipts: unknown[] }
  const entries = decodeEntries(encodeReceiptsJson(receipts))
  assert.equal(
    toHex(orderedRoot(entries)),
    '0xe255fed45eae7ede0556fe4fabc77b0d294d18781a5a581cab09127bc4cd9ffb',
  )
  const [deposit, ...others] = entries
  const withNonce = { ...decodeReceipt(deposit ?? bloom), depositNonce: 4_012_991n }
  assert.equal(
    toHex(orderedRoot([encodeReceipt(withNonce), ...others])),
    '0x6eefbb5efb95235476654a8bfbf8cb64a4f5f0b0c80b700b0c5964550beee6d7',
  )
})
