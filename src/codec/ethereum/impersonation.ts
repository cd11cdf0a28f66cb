// Transactions of a development chain that have a sender but no signature. In place of the signature, r is a fixed marker and s
// is the sender, so the transaction hash covers the sender. No point of secp256k1 has the marker as x coordinate: no key can
// produce such a signature, and no public chain accepts such a transaction.
// Tested by src/codec/ethereum/impersonation.test.ts
import { toBareHex } from '../../base/hex.ts'
import { encodeInteger } from './rlp.ts'
import type { Transaction } from './transaction.ts'

const mark = BigInt(`0x${toBareHex(new TextEncoder().encode('impersonated on a dev chain     '))}`)
const addressBytes = 20

/** The sender, 20 bytes; null for a transaction with any other signature. */
export function impersonatedSender({ r, s }: Pick<Transaction, 'r' | 's'>): Uint8Array | null {
  if (r !== mark) return null
  const bytes = encodeInteger(s)
  if (bytes.length > addressBytes) return null
  const sender = new Uint8Array(addressBytes)
  sender.set(bytes, addressBytes - bytes.length)
  return sender
}

/** `transaction` on the chain `chainId`, sent from `sender` (20 bytes). */
export function impersonate(
  transaction: Transaction,
  sender: Uint8Array,
  chainId: bigint,
): Transaction {
  const marked = { r: mark, s: BigInt(`0x${toBareHex(sender)}`), yParity: 0 as const }
  return transaction.type === 0
    ? { ...transaction, ...marked, chainId, v: chainId * 2n + 35n }
    : { ...transaction, ...marked, chainId, v: 0n }
}
