import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serializeTransaction } from 'viem/op-stack'
import { fromHex, toHex, toQuantity } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { decodeEntries } from './list.ts'
import { encodeInteger, encodeRlp, type RlpItem } from './rlp.ts'
import {
  decodeAnyTransaction,
  decodeSystemTransaction,
  isSystem,
  isSystemType,
  systemFields,
  type SystemField,
} from './system-transaction.ts'
import { encodeTransactionsJson } from './transaction-json.ts'
import { transactionHash, UnsupportedTransaction } from './transaction.ts'

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength })
const generators = {
  hash: bytes(32),
  address: bytes(20),
  to: fc.option(bytes(20)),
  integer: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  flag: fc.boolean(),
  data: bytes(0, 70),
}
type Value = Uint8Array | bigint | boolean | null

function jsonOf(value: Value): unknown {
  if (typeof value === 'bigint') return toQuantity(value)
  return value instanceof Uint8Array ? toHex(value) : value
}

function itemOf(value: Value): RlpItem {
  if (value instanceof Uint8Array) return value
  return encodeInteger(typeof value === 'bigint' ? value : value === true ? 1 : 0)
}

function entryOf(json: Readonly<Record<string, unknown>>): Uint8Array {
  return decodeEntries(encodeTransactionsJson([json]))[0] ?? assert.fail('an entry')
}

const types = [0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x7e]

for (const type of types) {
  const fields = systemFields(type)
  const values = fc.tuple(...fields.map(([, form]: SystemField) => generators[form]))

  test(`type 0x${type.toString(16)} is read as it was written, from JSON and from bytes`, () => {
    fc.assert(
      fc.property(values, (input: readonly Value[]) => {
        const json = Object.fromEntries(
          fields.map(([name], index) => [name, jsonOf(input[index] ?? null)]),
        )
        const raw = Uint8Array.of(type, ...encodeRlp(input.map(itemOf)))
        assert.deepEqual(entryOf({ ...json, type: `0x${type.toString(16)}` }), raw)
        const read = decodeSystemTransaction(raw)
        assert.deepEqual([...read.members.values()], input)
        assert.deepEqual(
          [...read.members.keys()],
          fields.map(([name]) => name),
        )
      }),
      { numRuns: 100 },
    )
  })

  test(`type 0x${type.toString(16)} with another number of fields is unsupported`, () => {
    for (const count of [0, fields.length - 1, fields.length + 1]) {
      const items = Array.from({ length: count }, () => new Uint8Array(0))
      const raw = Uint8Array.of(type, ...encodeRlp(items))
      assert.throws(() => decodeAnyTransaction(raw), UnsupportedTransaction)
    }
    assert.throws(() => decodeAnyTransaction(Uint8Array.of(type)), UnsupportedTransaction)
  })
}

// ethereum-optimism/op-geth core/types/transaction_marshalling_test.go
test('a deposit has the hash that op-geth gives it', () => {
  const json = {
    type: '0x7e',
    nonce: null,
    gas: '0x1',
    gasPrice: null,
    value: '0x1',
    input: '0x616263646566',
    to: null,
    sourceHash: `0x${'00'.repeat(32)}`,
    from: '0x0000000000000000000000000000000000000001',
  }
  const raw = entryOf(json)
  assert.equal(
    toHex(transactionHash(raw)),
    '0xa4341f3db4363b7ca269a8538bd027b2f8784f84454ca917668642d5f6dffdf9',
  )
  const read = decodeAnyTransaction(raw)
  assert.ok(isSystem(read))
  assert.deepEqual([toHex(read.from), read.to, read.gas], [json.from, null, 1n])
})

// base/base crates/common/consensus and op-rs: the first transaction of a block of Base and of block 124665056 of OP Mainnet.
const recorded = [
  {
    hash: '0xc468b38a20375922828c8126912740105125143b9856936085474b2590bbca91',
    raw: '0x7ef8f8a0417d134467f4737fcdf2475f0ecdd2a0ed6d87ecffc888ba9f60ee7e3b8ac26a94deaddeaddeaddeaddeaddeaddeaddeaddead00019442000000000000000000000000000000000000158080830f424080b8a4440a5e20000008dd00101c1200000000000000040000000066c352bb000000000139c4f500000000000000000000000000000000000000000000000000000000c0cff1460000000000000000000000000000000000000000000000000000000000000001d4c88f4065ac9671e8b1329b90773e89b5ddff9cf8675b2b5e9c1b28320609930000000000000000000000005050f69a9786f081509234f1a7f4684b5e5b76c9',
  },
  {
    hash: '0x312e290cf36df704a2217b015d6455396830b0ce678b860ebfcc30f41403d7b1',
    raw: '0x7ef8f8a0683079df94aa5b9cf86687d739a60a9b4f0835e520ec4d664e2e415dca17a6df94deaddeaddeaddeaddeaddeaddeaddeaddead00019442000000000000000000000000000000000000158080830f424080b8a4440a5e200000146b000f79c500000000000000040000000066d052e700000000013ad8a3000000000000000000000000000000000000000000000000000000003ef1278700000000000000000000000000000000000000000000000000000000000000012fdf87b89884a61e74b322bbcf60386f543bfae7827725efaaf0ab1de2294a590000000000000000000000006887246668a3b87f54deb3b94ba47a6f63f32985',
  },
]

test('deposits of Base and OP Mainnet are read, and have their hashes', () => {
  for (const { hash, raw } of recorded) {
    const bytes = fromHex(raw)
    assert.equal(toHex(transactionHash(bytes)), hash)
    const read = decodeSystemTransaction(bytes)
    assert.equal(toHex(read.from), '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001')
    assert.equal(toHex(read.to ?? read.from), '0x4200000000000000000000000000000000000015')
    assert.deepEqual([read.gas, read.value, read.nonce], [1_000_000n, 0n, 0n])
  }
})

test('deposits are serialized as viem serializes them', () => {
  const deposit = fc.record({
    sourceHash: bytes(32),
    from: bytes(20),
    to: fc.option(bytes(20)),
    mint: fc.bigInt({ min: 0n, max: 2n ** 128n }),
    value: fc.bigInt({ min: 0n, max: 2n ** 128n }),
    gas: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    isSystemTx: fc.boolean(),
    data: bytes(0, 100),
  })
  const hex = (value: Uint8Array) => toHex(value) as `0x${string}`
  fc.assert(
    fc.property(deposit, ({ sourceHash, from, to, data, ...rest }) => {
      const expected = serializeTransaction({
        ...rest,
        type: 'deposit',
        sourceHash: hex(sourceHash),
        from: hex(from),
        ...(to !== null && { to: hex(to) }),
        data: hex(data),
      })
      const json = {
        type: '0x7e',
        sourceHash: toHex(sourceHash),
        from: toHex(from),
        to: to === null ? null : toHex(to),
        mint: toQuantity(rest.mint),
        value: toQuantity(rest.value),
        gas: toQuantity(rest.gas),
        isSystemTx: rest.isSystemTx,
        input: toHex(data),
      }
      assert.equal(toHex(entryOf(json)), expected)
    }),
    { numRuns: 100 },
  )
})

test('what Arbitrum derives of its types is derived', () => {
  const internal = decodeSystemTransaction(
    Uint8Array.of(0x6a, ...encodeRlp([encodeInteger(42_161), Uint8Array.of(1, 2, 3)])),
  )
  const arbOs = '0x00000000000000000000000000000000000a4b05'
  assert.deepEqual([toHex(internal.from), toHex(internal.to ?? internal.from)], [arbOs, arbOs])
  assert.deepEqual(internal.data, Uint8Array.of(1, 2, 3))

  const one = (byte: number, length: number) => new Uint8Array(length).fill(byte)
  const submit = decodeSystemTransaction(
    Uint8Array.of(
      0x69,
      ...encodeRlp([
        encodeInteger(42_161),
        one(1, 32),
        one(2, 20),
        encodeInteger(3),
        encodeInteger(4),
        encodeInteger(5),
        encodeInteger(6),
        one(7, 20),
        encodeInteger(8),
        one(9, 20),
        encodeInteger(10),
        one(11, 20),
        one(12, 33),
      ]),
    ),
  )
  const word = (text: string) => text.padStart(64, '0')
  // The layout of ArbitrumSubmitRetryableTx.data() in OffchainLabs/go-ethereum core/types/arb_types.go.
  const words = [
    '01'.repeat(32),
    word('3'),
    word('4'),
    word('8'),
    word('5'),
    word('6'),
    word('a'),
    word('0b'.repeat(20)),
    word('09'.repeat(20)),
    word('07'.repeat(20)),
    word('160'),
    word('21'),
    '0c'.repeat(33).padEnd(128, '0'),
  ]
  assert.equal(toHex(submit.data), `0xc9f95d32${words.join('')}`)
  assert.equal(toHex(submit.to ?? submit.from), `0x${'6e'.padStart(40, '0')}`)
  assert.deepEqual([submit.value, submit.nonce, submit.gas, submit.gasPrice], [0n, 0n, 6n, 5n])
})

test("a node's JSON may give the fee cap as gasPrice alone", () => {
  const json = {
    type: '0x66',
    chainId: '0xa4b1',
    requestId: `0x${'01'.repeat(32)}`,
    from: `0x${'02'.repeat(20)}`,
    gasPrice: '0x5',
    gas: '0x6',
    to: null,
    value: '0x0',
    input: '0x',
  }
  const { gasPrice, ...rest } = json
  assert.deepEqual(entryOf(json), entryOf({ ...rest, maxFeePerGas: gasPrice }))
})

test('state sync is rows of four items, and its hash covers them', () => {
  const row = [encodeInteger(7), new Uint8Array(20), fromHex('0x3078'), new Uint8Array(32)]
  const raw = Uint8Array.of(0x7f, ...encodeRlp([row, row]))
  const read = decodeSystemTransaction(raw)
  assert.deepEqual(read.from, new Uint8Array(20))
  const hashed = keccak256(Uint8Array.of(0x7f, ...encodeRlp([[row, row]])))
  assert.deepEqual(transactionHash(raw), hashed)
  // Types of other chains with the same number.
  for (const other of [encodeRlp([encodeInteger(1), []]), [0xc2, 0xc0], [0x01], []]) {
    const entry = Uint8Array.of(0x7f, ...other)
    assert.deepEqual(transactionHash(entry), keccak256(entry))
  }
  for (const wrong of [[row.slice(1)], [row.with(1, new Uint8Array(19))], new Uint8Array(0)]) {
    const entry = Uint8Array.of(0x7f, ...encodeRlp(wrong))
    assert.throws(() => decodeAnyTransaction(entry), UnsupportedTransaction)
  }
  const many = Array.from({ length: 2_049 }, () => row)
  assert.throws(
    () => decodeAnyTransaction(Uint8Array.of(0x7f, ...encodeRlp(many))),
    UnsupportedTransaction,
  )
  // Nodes return no rows in JSON, so the transaction cannot be rebuilt from it.
  assert.throws(() => encodeTransactionsJson([{ type: '0x7f' }]), UnsupportedTransaction)
})

test('classic transactions of Arbitrum and types without a form are unsupported', () => {
  for (const type of [0x05, 0x63, 0x67, 0x6b, 0x78, 0x7d]) {
    assert.equal(isSystemType(type), false)
    assert.throws(() => decodeAnyTransaction(Uint8Array.of(type, 0xc0)), UnsupportedTransaction)
  }
})
