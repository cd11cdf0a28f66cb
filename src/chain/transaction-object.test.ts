// Golden cases G4 and G5: a mainnet transaction from its raw bytes to its JSON object.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex } from '../base/hex.ts'
import type { Transaction } from '../codec/ethereum/transaction.ts'
import { createSenderCache } from './sender-cache.ts'
import { renderTransaction } from './transaction-object.ts'
import { decodeReadable, readTransaction } from './transactions.ts'

const raw = fromHex(
  '0xf8ad835e472485174876e800830249f0944b9c25ca0224aef6a7522cabdbc3b2e125b7ca5080b8446ea056a9000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bd8d7fa6f8cc0025a0d1556332df97e3bd911068651cfad6f975a30381f4ff3a55df7ab3512c78b9eca066b51cbb10cd1b2a09aaff137d9f6d4255bf73cb7702b666ebd5af502ffa4410',
)
const blockHash = '0xb3b20624f8f0f86eb50dd04688409e5cea4bd02d700bf6e79e9384d47d6a5a35'

test('G4: a transaction of before London shows its own price and its recovered sender', () => {
  const place = {
    blockHash: fromHex(blockHash),
    blockNumber: 0x5bad55n,
    blockTimestamp: 1532103232n,
    baseFeePerGas: undefined,
    index: 0,
  }
  assert.deepEqual(renderTransaction(readTransaction(raw, createSenderCache(1).find), place), {
    blockHash,
    blockNumber: '0x5bad55',
    blockTimestamp: '0x5b520a40',
    from: '0xfbb1b73c4f0bda4f67dca266ce6ef42f520fbb98',
    gas: '0x249f0',
    gasPrice: '0x174876e800',
    hash: '0x8784d99762bccd03b2086eabccee0d77f14d05463281e121a62abfebcf0d2d5f',
    input:
      '0x6ea056a9000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bd8d7fa6f8cc00',
    nonce: '0x5e4724',
    to: '0x4b9c25ca0224aef6a7522cabdbc3b2e125b7ca50',
    transactionIndex: '0x0',
    value: '0x0',
    type: '0x0',
    chainId: '0x1',
    v: '0x25',
    r: '0xd1556332df97e3bd911068651cfad6f975a30381f4ff3a55df7ab3512c78b9ec',
    s: '0x66b51cbb10cd1b2a09aaff137d9f6d4255bf73cb7702b666ebd5af502ffa4410',
  })
})

test('an unknown type is unprovable, not an internal error', () => {
  assert.throws(() => decodeReadable(Uint8Array.of(0x7e, 0xc0)), {
    code: 'unprovable',
    message: 'transaction type 0x7e is not known',
  })
})

test('r, s and yParity are QUANTITY, zero and values with leading zero bytes included', () => {
  const call = { gas: 1n, to: new Uint8Array(20), value: 0n, data: new Uint8Array(0) }
  const fees = { maxPriorityFeePerGas: 0n, maxFeePerGas: 1n, chainId: 1n, nonce: 0n }
  const authority = { chainId: 0n, address: new Uint8Array(20), nonce: 0n, yParity: 0 }
  const transaction: Transaction = {
    type: 4,
    ...fees,
    ...call,
    accessList: [],
    authorizationList: [{ ...authority, r: 5n, s: 0n }],
    v: 0n,
    yParity: 0,
    r: 2n ** 240n,
    s: 1n,
  }
  const signed = { transaction, hash: new Uint8Array(32), from: new Uint8Array(20) }
  const json = renderTransaction(signed, null)
  assert.deepEqual([json['r'], json['s']], ['0x1' + '0'.repeat(60), '0x1'])
  assert.deepEqual([json['v'], json['yParity']], ['0x0', '0x0'])
  const [entry] = json['authorizationList'] as Readonly<Record<string, unknown>>[]
  assert.deepEqual([entry?.['yParity'], entry?.['r'], entry?.['s']], ['0x0', '0x5', '0x0'])
})
