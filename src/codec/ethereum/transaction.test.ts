import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Transaction as Oracle, Wallet, getCreateAddress } from 'ethers'
import fc from 'fast-check'
import { fromHex, toHex } from '../../base/hex.ts'
import { Malformed, type RlpItem, decodeRlp, encodeInteger, encodeRlp } from './rlp.ts'
import { contractAddress, recoverSender } from './sender.ts'
import { UnsupportedTransaction, decodeTransaction, transactionHash } from './transaction.ts'
import { encodeTransaction, signingHash } from './transaction-encode.ts'

const wallet = new Wallet('0x' + '45'.repeat(32))
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const hexOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes))
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 128n }))
const accessList = fc.array(
  fc.record({ address: hexOf(20), storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)
const types = [0, 1, 2, 3, 4] as const
const samples = fc.record({
  type: fc.constantFrom(...types),
  chainId: fc.bigInt({ min: 1n, max: 2n ** 51n }),
  nonce: fc.nat(),
  gasLimit: fc.nat().map(BigInt),
  fee: amount,
  tip: amount,
  to: hexOf(20),
  isCreation: fc.boolean(),
  value: amount,
  data: fc.uint8Array({ maxLength: 90 }).map((bytes) => toHex(bytes)),
  accessList,
  blobVersionedHashes: fc.array(
    hexOf(31).map((hex) => '0x01' + hex.slice(2)),
    { minLength: 1, maxLength: 3 },
  ),
})

type Sample = typeof samples extends fc.Arbitrary<infer T> ? T : never

function sign(sample: Sample): Oracle {
  const { type, chainId, nonce, gasLimit, value, data, fee, tip } = sample
  const creates = sample.isCreation && type < 3
  const to = creates ? null : sample.to
  const legacyFee = { gasPrice: fee }
  const fees = { maxFeePerGas: fee + tip, maxPriorityFeePerGas: tip }
  const transaction = Oracle.from({
    type,
    chainId,
    nonce,
    gasLimit,
    to,
    value,
    data,
    ...(type < 2 ? legacyFee : fees),
    ...(type > 0 && { accessList: sample.accessList }),
    ...(type === 3 && {
      maxFeePerBlobGas: fee,
      blobVersionedHashes: sample.blobVersionedHashes,
    }),
    ...(type === 4 && {
      authorizationList: [wallet.authorizeSync({ address: sample.to, nonce, chainId })],
    }),
  })
  transaction.signature = wallet.signingKey.sign(transaction.unsignedHash)
  return transaction
}

test('a transaction signed elsewhere has the same fields, hashes, sender and bytes here', () => {
  fc.assert(
    fc.property(samples, (sample) => {
      const signed = sign(sample)
      const raw = fromHex(signed.serialized)
      const transaction = decodeTransaction(raw)
      assert.equal(toHex(transactionHash(raw)), signed.hash)
      assert.equal(toHex(signingHash(transaction)), signed.unsignedHash)
      assert.equal(toHex(recoverSender(transaction)), wallet.address.toLowerCase())
      assert.deepEqual(encodeTransaction(transaction), raw)
      const { type, chainId, nonce, gas, to, value, data } = transaction
      const expected = {
        type: sample.type,
        chainId: sample.chainId,
        nonce: BigInt(sample.nonce),
        gas: sample.gasLimit,
        to: signed.to?.toLowerCase() ?? null,
        value: sample.value,
        data: sample.data,
      }
      const hexes = { to: to === null ? null : toHex(to), data: toHex(data) }
      assert.deepEqual({ type, chainId, nonce, gas, value, ...hexes }, expected)
      if (transaction.type < 2) assert.ok('gasPrice' in transaction)
      if ('gasPrice' in transaction) assert.equal(transaction.gasPrice, sample.fee)
      else assert.equal(transaction.maxPriorityFeePerGas, sample.tip)
    }),
    { numRuns: 80 },
  )
})

test('the example of EIP-155 has the signing hash, sender and chain it states', () => {
  const transaction = decodeTransaction(
    fromHex(
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
    ),
  )
  assert.equal(transaction.chainId, 1n)
  assert.equal(transaction.v, 37n)
  assert.equal(
    toHex(signingHash(transaction)),
    '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  )
  assert.equal(toHex(recoverSender(transaction)), '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f')
})

test('a transaction from before EIP-155 has no chain, and its sender is found', () => {
  const unsigned = { type: 0, nonce: 1, gasLimit: 21_000, gasPrice: 1, to: wallet.address }
  const signed = Oracle.from(unsigned)
  signed.signature = wallet.signingKey.sign(signed.unsignedHash)
  const transaction = decodeTransaction(fromHex(signed.serialized))
  assert.equal(transaction.chainId, null)
  assert.ok(transaction.v === 27n || transaction.v === 28n)
  assert.equal(toHex(recoverSender(transaction)), wallet.address.toLowerCase())
})

test('a high s recovers to the same sender', () => {
  const signed = sign(sampleOf(2))
  const transaction = decodeTransaction(fromHex(signed.serialized))
  const yParity = transaction.yParity === 0 ? 1 : 0
  const high = { ...transaction, s: order - transaction.s, yParity, v: BigInt(yParity) } as const
  const reread = decodeTransaction(encodeTransaction(high))
  assert.ok(reread.s > order / 2n)
  assert.deepEqual(recoverSender(reread), recoverSender(transaction))
})

test('r and s with leading zero bytes and parity 0 as the empty string recover to the sender', () => {
  const seen = { short: 0, even: 0 }
  for (let nonce = 0; nonce < 400 && (seen.short === 0 || seen.even === 0); nonce += 1) {
    const signed = sign({ ...sampleOf(1), nonce })
    const transaction = decodeTransaction(fromHex(signed.serialized))
    const isShort = transaction.r < 2n ** 248n || transaction.s < 2n ** 248n
    if (!isShort && transaction.yParity === 1) continue
    seen.short += isShort ? 1 : 0
    seen.even += transaction.yParity === 0 ? 1 : 0
    assert.equal(toHex(recoverSender(transaction)), wallet.address.toLowerCase())
  }
  assert.ok(seen.short > 0 && seen.even > 0)
})

test('a signature that matches no key is malformed', () => {
  const transaction = decodeTransaction(fromHex(sign(sampleOf(2)).serialized))
  const none = [{ r: 0n }, { s: 0n }, { r: order }, { s: order }, { r: 2n ** 256n - 1n }, { r: 5n }]
  for (const part of none) {
    assert.throws(() => recoverSender({ ...transaction, ...part }), Malformed)
  }
})

test('the address of a created contract follows from its creator and nonce', () => {
  for (const nonce of [0n, 1n, 127n, 128n, 2n ** 32n]) {
    const from = fromHex(wallet.address)
    const expected = getCreateAddress({ from: wallet.address, nonce }).toLowerCase()
    assert.equal(toHex(contractAddress(from, nonce)), expected)
  }
})

test('an unknown type has another error than malformed bytes', () => {
  for (const type of [0x00, 0x05, 0x7e, 0x7f]) {
    assert.throws(() => decodeTransaction(Uint8Array.of(type, 0xc0)), UnsupportedTransaction)
  }
  for (const bytes of [[], [0x80], [0xbf, 1], [1], [2, 0xc0], [3, 0x80], [0xc0]]) {
    assert.throws(() => decodeTransaction(Uint8Array.from(bytes)), Malformed)
  }
})

/** [type, index of the item, new value]. */
const refused: readonly (readonly [string, 0 | 1 | 2 | 3 | 4, number, RlpItem])[] = [
  ['a nonce with a leading zero', 0, 0, Uint8Array.of(0, 1)],
  ['a nonce of 9 bytes', 2, 1, new Uint8Array(9).fill(1)],
  ['a value with a leading zero', 2, 6, Uint8Array.of(0, 1)],
  ['a value of 33 bytes', 2, 6, new Uint8Array(33).fill(1)],
  ['to of 19 bytes', 0, 3, new Uint8Array(19)],
  ['to of 32 bytes', 2, 5, new Uint8Array(32)],
  ['type 3 without to', 3, 5, new Uint8Array(0)],
  ['type 4 without to', 4, 5, new Uint8Array(0)],
  ['data as a list', 1, 6, []],
  ['v of 26', 0, 6, encodeInteger(26)],
  ['v of 29', 0, 6, encodeInteger(29)],
  ['v of 34', 0, 6, encodeInteger(34)],
  ['v of 0', 0, 6, encodeInteger(0)],
  ['yParity of 2', 2, 9, encodeInteger(2)],
  ['yParity of 27', 1, 8, encodeInteger(27)],
  ['yParity as a zero byte', 2, 9, Uint8Array.of(0)],
  ['r with a leading zero', 2, 10, Uint8Array.of(0, 1)],
  ['s of 33 bytes', 0, 8, new Uint8Array(33).fill(1)],
  ['an access list that is a string', 1, 7, new Uint8Array(0)],
  ['an access list entry of one item', 1, 7, [[new Uint8Array(20)]]],
  ['an access list address of 21 bytes', 2, 8, [[new Uint8Array(21), []]]],
  ['a storage key of 31 bytes', 2, 8, [[new Uint8Array(20), [new Uint8Array(31)]]]],
  ['a versioned hash of 33 bytes', 3, 10, [new Uint8Array(33)]],
  ['an authorization of five items', 4, 9, [Array.from({ length: 5 }, () => new Uint8Array(0))]],
  ['fields in place of a nonce', 3, 1, []],
]

for (const [name, type, index, item] of refused) {
  test(`${name} is refused`, () => {
    const raw = fromHex(sign(sampleOf(type)).serialized)
    const items = decodeRlp(type === 0 ? raw : raw.subarray(1))
    assert.ok(!(items instanceof Uint8Array))
    const write = (list: readonly RlpItem[]) =>
      Uint8Array.of(...(type === 0 ? [] : [type]), ...encodeRlp(list))
    assert.deepEqual(write(items), raw)
    assert.throws(() => decodeTransaction(write(items.with(index, item))), Malformed)
    assert.throws(() => decodeTransaction(write([...items, new Uint8Array(0)])), Malformed)
    assert.throws(() => decodeTransaction(write(items.slice(0, -1))), Malformed)
    assert.throws(() => decodeTransaction(Uint8Array.of(...raw, 0)), Malformed)
  })
}

test('a blob transaction with its sidecar is refused', () => {
  const body = decodeRlp(fromHex(sign(sampleOf(3)).serialized).subarray(1))
  const wrapped = Uint8Array.of(3, ...encodeRlp([body, [], [], []]))
  assert.throws(() => decodeTransaction(wrapped), Malformed)
})

test('foreign bytes are malformed, of an unknown type, or a transaction with those very bytes', () => {
  const valid = types.map((type) => fromHex(sign(sampleOf(type)).serialized))
  const mutated = fc
    .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }))
    .map(([raw, edits]) =>
      edits.reduce((bytes, [at, value]) => bytes.with(at % bytes.length, value), raw),
    )
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 60 })), (bytes) => {
      try {
        const transaction = decodeTransaction(bytes)
        assert.deepEqual(encodeTransaction(transaction), bytes)
        assert.equal(recoverSender(transaction).length, 20)
      } catch (thrown) {
        const isRefusal = thrown instanceof Malformed || thrown instanceof UnsupportedTransaction
        if (!isRefusal) throw thrown
      }
    }),
    { numRuns: 600 },
  )
})

function sampleOf(type: (typeof types)[number]): Sample {
  return {
    type,
    chainId: 1n,
    nonce: 7,
    gasLimit: 21_000n,
    fee: 9n,
    tip: 2n,
    to: '0x' + '11'.repeat(20),
    isCreation: false,
    value: 300n,
    data: '0x010203',
    accessList: [{ address: '0x' + '22'.repeat(20), storageKeys: ['0x' + '33'.repeat(32)] }],
    blobVersionedHashes: ['0x01' + '44'.repeat(31)],
  }
}
