// Transactions of the pool in the form of the txpool methods: by state, sender and nonce.
// Tested by test/api/pool-started.test.ts
import { toChecksumAddress } from '../../codec/ethereum/checksum-address.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import type { PoolContent, PooledTransaction } from '../../chain/evm-executor.ts'
import type { SignedTransaction } from '../../chain/transaction-object.ts'
import { decodeReadable } from '../../chain/transactions.ts'

type Show = (signed: SignedTransaction) => unknown
type ByNonce = Readonly<Record<string, unknown>>
type BySender = Readonly<Record<string, ByNonce>>

/** Sender (EIP-55) -> nonce (decimal) -> the result of `show` for the transaction. */
export function poolReply(
  { pending, queued }: PoolContent,
  show: Show,
): { readonly pending: BySender; readonly queued: BySender } {
  return { pending: bySender(pending, show), queued: bySender(queued, show) }
}

/** As `poolReply` for the transactions of one sender, without the sender's address. */
export function senderReply(
  { pending, queued }: PoolContent,
  show: Show,
): { readonly pending: ByNonce; readonly queued: ByNonce } {
  return { pending: byNonce(pending, show), queued: byNonce(queued, show) }
}

function bySender(list: readonly PooledTransaction[], show: Show): BySender {
  const groups = Map.groupBy(list, ({ sender }) => toChecksumAddress(sender))
  return Object.fromEntries(
    [...groups].map(([sender, transactions]) => [sender, byNonce(transactions, show)]),
  )
}

function byNonce(list: readonly PooledTransaction[], show: Show): ByNonce {
  return Object.fromEntries(
    list.map((pooled) => {
      const signed = signedTransaction(pooled)
      return [signed.transaction.nonce.toString(), show(signed)]
    }),
  )
}

export function signedTransaction({ sender, raw }: PooledTransaction): SignedTransaction {
  return { transaction: decodeReadable(raw), hash: transactionHash(raw), from: sender }
}
