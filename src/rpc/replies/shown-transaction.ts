// Renders a transaction of a proved block. A deposit of the OP Stack does not contain its nonce: since Canyon its receipt does;
// before, the nonce is an upstream's claim, and the label is `block`.
// Tested by test/upstream/rollups.test.ts
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { decodeReceipt } from '../../codec/ethereum/receipt.ts'
import { depositType } from '../../codec/ethereum/system-transaction.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import { readEntry } from '../../chain/list-entries.ts'
import { fetched, type Read } from '../../chain/read.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { renderTransaction } from '../../chain/transaction-object.ts'
import { locationIn, readTransaction, withDepositNonce } from '../../chain/transactions.ts'
import type { ReadCall } from '../operation.ts'
import { queryUpstream, byHash } from './rollup-members.ts'

/** The JSON object of the transaction at `index`. The caller sets the label `proof`. Throws `pruned`, `unprovable`. */
export function* shownTransaction(
  call: ReadCall,
  block: ProvedHeader,
  { raw, index }: { readonly raw: Uint8Array; readonly index: number },
  findSender: FindSender,
): Read<Readonly<Record<string, unknown>>> {
  const signed = readTransaction(raw, findSender)
  if (raw[0] !== depositType) return renderTransaction(signed, locationIn(block, index))
  const { network, labels } = call
  const entry = yield* readEntry(network, block, 'receipts', index)
  if (entry === null) throw new Fault('unverified')
  const { depositNonce, depositReceiptVersion = null } = decodeReceipt(entry)
  if (depositNonce !== undefined) {
    const complete = withDepositNonce(signed, depositNonce, depositReceiptVersion)
    return renderTransaction(complete, locationIn(block, index))
  }
  const hash = toHex(signed.hash)
  const json = yield* fetched((signal) =>
    queryUpstream({ network, labels, signal }, 'eth_getTransactionByHash', [hash]),
  )
  const nonce = byHash([json], 'hash', toHex(block.hash)).get(hash)?.['nonce']
  const isNonce = typeof nonce === 'string' && /^0x[0-9a-f]{1,16}$/i.test(nonce)
  const complete = withDepositNonce(signed, isNonce ? BigInt(nonce) : 0n, null)
  return renderTransaction(complete, locationIn(block, index))
}
