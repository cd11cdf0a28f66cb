import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Common, Mainnet } from '@ethereumjs/common'
import { createTx } from '@ethereumjs/tx'
import fc from 'fast-check'
import { fromHex, toHex, toQuantity } from '../../base/hex.ts'
import { keccak256 } from '../hash/keccak.ts'
import { decodeEntries } from './list.ts'
import { Malformed, encodeInteger, encodeRlp } from './rlp.ts'
import { encodeTransactionsJson } from './transaction-json.ts'
import { UnsupportedTransaction } from './transaction.ts'

// The other implementation requires some `kzg` to sign a blob transaction, but calls none of it.
const customCrypto = { kzg: {} as never }
const common = new Common({ chain: Mainnet, hardfork: 'prague', customCrypto })
const old = new Common({ chain: Mainnet, hardfork: 'homestead' })
const privateKey = new Uint8Array(32).fill(0x45)

const hexOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes))
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 96n })).map(toQuantity)
const authorization = fc.record({
  chainId: fc.constant('0x1'),
  address: hexOf(20),
  nonce: fc.nat(1000).map(toQuantity),
  yParity: fc.constantFrom('0x', '0x1'),
  r: hexOf(32).filter((hex) => !hex.startsWith('0x00')),
  s: fc.constant('0x05'),
})
const samples = fc.record({
  type: fc.constantFrom(-1, 0, 1, 2, 3, 4),
  nonce: fc.nat().map(toQuantity),
  gasLimit: fc.nat().map((it) => toQuantity(it + 30_000_000)),
  fee: amount,
  tip: amount,
  to: hexOf(20),
  isCreation: fc.boolean(),
  value: amount,
  data: fc.uint8Array({ maxLength: 300 }).map((bytes) => toHex(bytes)),
  accessList: fc.array(
    fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }),
    { maxLength: 3 },
  ),
  hashes: fc.array(
    hexOf(31).map((hex) => '0x01' + hex.slice(2)),
    { minLength: 1, maxLength: 3 },
  ),
  authorizations: fc.array(authorization, { minLength: 1, maxLength: 3 }),
  spelling: fc.record({ pads: fc.boolean(), saysData: fc.boolean(), parity: fc.nat(2) }),
})
type Sample = typeof samples extends fc.Arbitrary<infer T> ? T : never

/** Signed by another implementation; type -1 is type 0 from before EIP-155. */
function sign(sample: Sample) {
  const type = Math.max(0, sample.type)
  const { nonce, gasLimit, value, data, fee, tip, accessList, to } = sample
  const maxFeePerGas = toQuantity(BigInt(fee) + BigInt(tip))
  const fields = {
    type,
    nonce,
    gasLimit,
    value,
    data,
    ...(sample.isCreation && type < 3 ? {} : { to }),
    ...(type < 2 ? { gasPrice: fee } : { maxFeePerGas, maxPriorityFeePerGas: tip }),
    ...(type > 0 && { accessList, chainId: '0x1' }),
    ...(type === 3 && { maxFeePerBlobGas: fee, blobVersionedHashes: sample.hashes }),
    ...(type === 4 && {
      authorizationList: sample.authorizations,
    }),
  }
  const unsigned = createTx(fields as never, {
    common: sample.type === -1 ? old : common,
    allowUnlimitedInitCodeSize: true,
  })
  return unsigned.sign(privateKey)
}

/** The JSON form of a node: member names differ from the other implementation's, and there are several spellings. */
function print(signed: ReturnType<typeof sign>, { spelling }: Sample): Record<string, unknown> {
  const json = signed.toJSON()
  const { gasLimit, data, v, yParity, to, ...rest } = json
  const pad = (value: string | undefined) => {
    if (value === undefined) return undefined
    const digits = value.slice(2) || '0'
    return spelling.pads ? '0x' + digits.padStart(64, '0') : toQuantity(BigInt(`0x${digits}`))
  }
  const parity = [{ v: pad(v) }, { yParity: pad(yParity) }, { v: pad(v), yParity: pad(yParity) }]
  const isTyped = signed.type > 0
  const hash = toHex(signed.hash())
  const ignored = { hash, from: `0x${'00'.repeat(20)}`, blockHash: null, gasPrice: '0x1' }
  return {
    ...(isTyped && ignored),
    ...rest,
    ...(isTyped && { type: pad(`0x${signed.type}`)?.replace(/^0x0*/, '0x') }),
    ...(spelling.saysData ? { data } : { input: data }),
    ...(isTyped ? parity[spelling.parity] : { v: pad(v) }),
    to: to ?? (spelling.pads ? undefined : null),
    gas: pad(gasLimit),
    value: pad(json.value),
    r: pad(json.r),
    s: pad(json.s),
    nonce: pad(json.nonce),
    ...(json.authorizationList && {
      authorizationList: json.authorizationList.map((one) => ({
        chainId: pad(one.chainId),
        address: one.address,
        nonce: pad(one.nonce),
        [spelling.parity === 0 ? 'v' : 'yParity']: pad(one.yParity),
        r: pad(one.r),
        s: pad(one.s),
      })),
    }),
    // Some nodes return the blobs with the block, although the block does not contain them.
    ...(signed.type === 3 && { blobs: ['0x00'], kzgCommitments: ['0x00'], kzgProofs: [] }),
  }
}

test('transactions of every type, in any spelling, are encoded to the bytes that were signed', () => {
  const seen = new Set<number>()
  fc.assert(
    fc.property(fc.array(samples, { maxLength: 4 }), (list) => {
      const signed = list.map(sign)
      const json = signed.map((one, index) => print(one, list[index] as Sample))
      const entries = decodeEntries(encodeTransactionsJson(json))
      assert.deepEqual(
        entries.map((entry) => toHex(entry)),
        signed.map((one) => toHex(one.serialize())),
      )
      assert.deepEqual(
        entries.map((entry) => toHex(keccak256(entry))),
        signed.map((one) => toHex(one.hash())),
      )
      for (const { type } of list) seen.add(type)
    }),
    { numRuns: 60 },
  )
  assert.equal(seen.size, 6)
})

const legacy = {
  type: '0x0',
  nonce: '0x1',
  gasPrice: '0x2',
  gas: '0x5208',
  to: '0x' + '11'.repeat(20),
  value: '0x0',
  input: '0x',
  v: '0x1b',
  r: '0x5',
  s: '0x6',
}

test('a deposit of the OP stack is encoded as its layer writes it', () => {
  const json = {
    type: '0x7e',
    sourceHash: '0x' + '01'.repeat(32),
    from: '0x' + '02'.repeat(20),
    to: '0x' + '03'.repeat(20),
    mint: '0x5',
    value: '0x6',
    gas: '0xf4240',
    isSystemTx: false,
    input: '0x0102',
    nonce: '0x9',
    v: '0x0',
  }
  const fields = [
    fromHex(json.sourceHash),
    fromHex(json.from),
    fromHex(json.to),
    encodeInteger(5),
    encodeInteger(6),
    encodeInteger(1_000_000),
    new Uint8Array(0),
    Uint8Array.of(1, 2),
  ]
  const entry = (items: typeof fields) => Uint8Array.of(0x7e, ...encodeRlp(items))
  assert.deepEqual(decodeEntries(encodeTransactionsJson([json])), [entry(fields)])
  const { mint: _, isSystemTx: __, ...bare } = json
  const none = fields.with(3, new Uint8Array(0))
  assert.deepEqual(decodeEntries(encodeTransactionsJson([{ ...bare, to: null }])), [
    entry(none.with(2, new Uint8Array(0))),
  ])
  const system = { ...json, isSystemTx: true }
  assert.deepEqual(decodeEntries(encodeTransactionsJson([system])), [
    entry(fields.with(6, Uint8Array.of(1))),
  ])
  assert.throws(() => encodeTransactionsJson([{ ...json, isSystemTx: '0x1' }]), Malformed)
})

test('a transaction without a type is one from before types', () => {
  const { type: _, ...untyped } = legacy
  assert.deepEqual(encodeTransactionsJson([untyped]), encodeTransactionsJson([legacy]))
})

test('an unknown type has another error than a malformed one', () => {
  for (const type of ['0x5', '0x67', '0x78', '0xff']) {
    assert.throws(() => encodeTransactionsJson([{ ...legacy, type }]), UnsupportedTransaction)
  }
  for (const type of ['', '0x', '0x100', 2, '2', {}]) {
    assert.throws(() => encodeTransactionsJson([{ ...legacy, type }]), Malformed)
  }
})

test('a list of hashes, a member of another form or one left out is malformed', () => {
  for (const json of [null, undefined, {}, 'list', ['0x' + '11'.repeat(32)], [null], [[]]]) {
    assert.throws(() => encodeTransactionsJson(json), Malformed, JSON.stringify(json))
  }
  for (const name of Object.keys(legacy)) {
    const odd = [7, true, [], {}, '', 'x', '0xz', '0x1 ', '0x' + '1'.repeat(67), null]
    for (const value of odd) {
      if (value === null && (name === 'to' || name === 'type')) continue
      assert.throws(() => encodeTransactionsJson([{ ...legacy, [name]: value }]), Malformed, name)
    }
  }
  for (const to of ['0x', '0x11', '0x' + '11'.repeat(21)]) {
    assert.throws(() => encodeTransactionsJson([{ ...legacy, to }]), Malformed)
  }
})

test('lists inside typed transactions are validated too', () => {
  const address = '0x' + '11'.repeat(20)
  const typed = {
    ...legacy,
    type: '0x4',
    chainId: '0x1',
    maxFeePerGas: '0x2',
    maxPriorityFeePerGas: '0x1',
    yParity: '0x0',
    accessList: [{ address, storageKeys: ['0x' + '00'.repeat(32)] }],
    authorizationList: [
      { chainId: '0x1', address, nonce: '0x1', yParity: '0x0', r: '0x1', s: '0x2' },
    ],
  }
  assert.equal(decodeEntries(encodeTransactionsJson([typed])).length, 1)
  const wrong = [
    { accessList: null },
    { accessList: [null] },
    { accessList: [{ address }] },
    { accessList: [{ address, storageKeys: ['0x0'] }] },
    { authorizationList: undefined },
    { authorizationList: [{}] },
    { chainId: undefined },
  ]
  for (const part of wrong) {
    assert.throws(() => encodeTransactionsJson([{ ...typed, ...part }]), Malformed)
  }
  const blob = { ...typed, type: '0x3', maxFeePerBlobGas: '0x1', blobVersionedHashes: ['0x01'] }
  assert.throws(() => encodeTransactionsJson([blob]), Malformed)
})
