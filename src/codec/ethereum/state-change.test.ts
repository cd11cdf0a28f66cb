import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AccountChange, stateChange, stateChangesOf } from './state-change.ts'
import { decodeTransaction } from './transaction.ts'
import { encodeTransaction } from './transaction-encode.ts'

const address = new Uint8Array(20).fill(9)
const word = (byte: number) => new Uint8Array(32).fill(byte)
const place = { chainId: 1337n, nonce: 5n }

test('the changes of a block are read back from the transaction that records them', () => {
  const changes: readonly AccountChange[] = [
    { address, balance: 0n, nonce: 2n, code: new Uint8Array(0), words: [] },
    { address: new Uint8Array(20), words: [{ slot: word(1), word: word(0) }] },
    { address, balance: 2n ** 256n - 1n, code: Uint8Array.of(0x5f), words: [] },
  ]
  const raw = encodeTransaction(stateChange(changes, place))
  assert.deepEqual(stateChangesOf(decodeTransaction(raw)), changes)
})

test('a transaction with gas, another recipient, or another sender records no change', () => {
  const recorded = stateChange([{ address, balance: 1n }], place)
  assert.equal(stateChangesOf({ ...recorded, gas: 21_000n }), null)
  assert.equal(stateChangesOf({ ...recorded, to: address }), null)
  assert.equal(stateChangesOf({ ...recorded, to: null }), null)
  assert.equal(stateChangesOf({ ...recorded, s: 1n }), null)
  assert.equal(stateChangesOf({ ...recorded, r: 1n }), null)
})

test('changes that cannot be read are refused, not left out', () => {
  const recorded = stateChange([{ address, balance: 1n }], place)
  for (const data of [new Uint8Array(0), Uint8Array.of(0xc1, 0xc0), Uint8Array.of(0x80)]) {
    assert.throws(() => stateChangesOf({ ...recorded, data }), { name: 'Malformed' })
  }
})
