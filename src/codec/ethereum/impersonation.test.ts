import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recover } from 'tiny-secp256k1'
import { fromHex, toHex } from '../../base/hex.ts'
import { impersonate, impersonatedSender } from './impersonation.ts'
import { encodeInteger } from './rlp.ts'
import { recoverSender } from './sender.ts'
import { decodeTransaction, type Transaction } from './transaction.ts'
import { encodeTransaction, signingHash } from './transaction-encode.ts'

const sender = fromHex('0x00000000219ab540356cbb839cbe05303d7705fa')
const call = {
  nonce: 3n,
  gas: 21_000n,
  to: new Uint8Array(20).fill(7),
  value: 1n,
  data: new Uint8Array(0),
  v: 0n,
  yParity: 0 as const,
  r: 0n,
  s: 0n,
}
const dynamic: Transaction = {
  type: 2,
  ...call,
  chainId: 1337n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
  accessList: [],
}
const legacy: Transaction = { type: 0, ...call, chainId: null, gasPrice: 2n }

test('an impersonated transaction decodes to the sender that it names', () => {
  for (const transaction of [dynamic, legacy]) {
    for (const from of [sender, new Uint8Array(20), new Uint8Array(20).fill(0xff)]) {
      const raw = encodeTransaction(impersonate(transaction, from, 1337n))
      const decoded = decodeTransaction(raw)
      assert.equal(decoded.chainId, 1337n)
      assert.equal(toHex(recoverSender(decoded)), toHex(from))
      assert.deepEqual(encodeTransaction(decoded), raw)
    }
  }
})

test('no key can make the signature of an impersonated transaction', () => {
  const marked = impersonate(dynamic, sender, 1337n)
  const signature = new Uint8Array(64)
  signature.set(encodeInteger(marked.r))
  const s = encodeInteger(marked.s)
  signature.set(s, 64 - s.length)
  for (const recoveryId of [0, 1, 2, 3] as const) {
    let key: Uint8Array | null = null
    try {
      key = recover(signingHash(marked), signature, recoveryId)
    } catch {
      // An exception also means that there is no key.
    }
    assert.equal(key, null)
  }
})

test('a signature with the mark and a number longer than an address names no sender', () => {
  const { r } = impersonate(dynamic, sender, 1337n)
  assert.equal(impersonatedSender({ r, s: 1n << 160n }), null)
  assert.equal(impersonatedSender({ r: r + 1n, s: 1n }), null)
  assert.throws(() => recoverSender({ ...dynamic, r, s: 1n << 160n }), { name: 'Malformed' })
})
