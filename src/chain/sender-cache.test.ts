// The cache of senders is bounded and returns the signer of the transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromHex, toHex } from '../base/hex.ts'
import { decodeTransaction, transactionHash } from '../codec/ethereum/transaction.ts'
import { createSenderCache } from './sender-cache.ts'

/** Golden case G5: a mainnet transaction; case G4 has its sender. */
const raw = fromHex(
  '0xf8ad835e472485174876e800830249f0944b9c25ca0224aef6a7522cabdbc3b2e125b7ca5080b8446ea056a9000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000bd8d7fa6f8cc0025a0d1556332df97e3bd911068651cfad6f975a30381f4ff3a55df7ab3512c78b9eca066b51cbb10cd1b2a09aaff137d9f6d4255bf73cb7702b666ebd5af502ffa4410',
)

test('G5: the sender is recovered once and cached by hash, the oldest is evicted first', () => {
  const transaction = decodeTransaction(raw)
  const { find: findSender } = createSenderCache(1)
  const hash = transactionHash(raw)
  assert.equal(toHex(hash), '0x8784d99762bccd03b2086eabccee0d77f14d05463281e121a62abfebcf0d2d5f')
  assert.equal(toHex(findSender(transaction, hash)), '0xfbb1b73c4f0bda4f67dca266ce6ef42f520fbb98')
  // Another nonce has another signer, so the result shows if it came from the cache or a recovery.
  const sender = toHex(findSender(transaction, hash))
  assert.equal(toHex(findSender({ ...transaction, nonce: 1n }, hash)), sender)
  findSender({ ...transaction, nonce: 2n }, new Uint8Array(32))
  assert.notEqual(toHex(findSender({ ...transaction, nonce: 1n }, hash)), sender)
})

test('a sender that was recovered elsewhere is not recovered again', () => {
  const senders = createSenderCache(10)
  const hash = transactionHash(raw)
  const noted = new Uint8Array(20).fill(7)
  senders.note(hash, noted)
  assert.deepEqual(senders.find(decodeTransaction(raw), hash), noted)
})
