// Recovers the sender of a transaction from its bytes; the sender in a reply is never used.
import { recover } from 'tiny-secp256k1'
import { keccak256 } from '../hash/keccak.ts'
import { impersonatedSender } from './impersonation.ts'
import { Malformed, encodeInteger, encodeRlp } from './rlp.ts'
import type { Transaction } from './transaction.ts'
import { signingHash } from './transaction-encode.ts'

/** Signed hash (32 bytes), signature as r and s (64 bytes), and recovered public key (65 bytes). */
export type Signer = {
  readonly hash: Uint8Array
  readonly signature: Uint8Array
  readonly yParity: 0 | 1
  readonly publicKey: Uint8Array
}

/** Throws `Malformed` if no key matches the signature. */
export function recoverSigner(transaction: Transaction): Signer {
  const { r, s, yParity } = transaction
  const signature = new Uint8Array(64)
  setEnd(signature.subarray(0, 32), encodeInteger(r))
  setEnd(signature.subarray(32), encodeInteger(s))
  const hash = signingHash(transaction)
  return { hash, signature, yParity, publicKey: recoverKey(hash, signature, yParity) }
}

/**
 * 20 bytes: recovered from the signature, or the sender in an impersonated transaction. A high `s` is accepted, as before EIP-2.
 * Throws `Malformed` if no key matches the signature.
 */
export function recoverSender(transaction: Transaction): Uint8Array {
  return (
    impersonatedSender(transaction) ??
    keccak256(recoverSigner(transaction).publicKey.subarray(1)).subarray(12)
  )
}

/** Address of the contract that `from` (20 bytes) creates with `nonce` (Yellow Paper section 7). */
export function contractAddress(from: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([from, encodeInteger(nonce)])).subarray(12)
}

function recoverKey(hash: Uint8Array, signature: Uint8Array, recoveryId: 0 | 1): Uint8Array {
  try {
    const publicKey = recover(hash, signature, recoveryId, false)
    if (publicKey !== null) return publicKey
  } catch (cause) {
    throw new Malformed('a signature that recovers to a key', { cause })
  }
  throw new Malformed('a signature that recovers to a key')
}

function setEnd(target: Uint8Array, bytes: Uint8Array): void {
  target.set(bytes, target.length - bytes.length)
}
