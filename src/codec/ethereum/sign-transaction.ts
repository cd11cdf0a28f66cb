// Signs a transaction with a private key. Only for the published test keys of the embedded chain.
// Tested by src/codec/ethereum/sign-transaction.test.ts
import { signRecoverable } from 'tiny-secp256k1'
import { toBareHex } from '../../base/hex.ts'
import type { Transaction } from './transaction.ts'
import { signingHash } from './transaction-encode.ts'

/** `privateKey`: 32 bytes. Type 0 becomes replay-protected (EIP-155). */
export function signTransaction(
  transaction: Transaction,
  privateKey: Uint8Array,
  chainId: bigint,
): Transaction {
  const unsigned = { ...transaction, chainId }
  const { signature, recoveryId } = signRecoverable(signingHash(unsigned), privateKey)
  const yParity = recoveryId % 2 === 0 ? 0 : 1
  const r = BigInt(`0x${toBareHex(signature.subarray(0, 32))}`)
  const s = BigInt(`0x${toBareHex(signature.subarray(32))}`)
  const v = transaction.type === 0 ? chainId * 2n + 35n + BigInt(yParity) : BigInt(yParity)
  return { ...unsigned, v, yParity, r, s }
}
