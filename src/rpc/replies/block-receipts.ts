// The receipts of a proved block with their transactions, rendered as JSON objects.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { Fault } from '../../base/fault.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { type ProvedHeader, readReceiptList, readTransactionList } from '../../chain/blocks.ts'
import { readEntriesTo, readEntry } from '../../chain/list-entries.ts'
import {
  type BlobTerms,
  type PlacedReceipt,
  placeReceipts,
  renderReceipt,
} from '../../chain/receipt-object.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { locationIn, readTransaction, withDepositNonce } from '../../chain/transactions.ts'
import type { RpcCall } from '../operation.ts'
import { isBlobTransaction, obtainBlobTerms } from './blob-terms.ts'
import { obtainRollupMembers, type RollupMembers, type ShownReceipt } from './rollup-members.ts'
import { completeRead } from '../../chain/read.ts'

/**
 * The JSON objects of the receipts of `block`; label `proof`, or `block` as `obtainBlobTerms` and `obtainRollupMembers` say.
 * Throws `pruned`, `unprovable`, and `unverified` when the two lists differ in length.
 */
export async function receiptReplies(
  call: RpcCall,
  block: ProvedHeader,
  findSender: FindSender,
): Promise<readonly unknown[]> {
  const { network, signal } = call
  const [transactions, receipts] = await Promise.all([
    completeRead(readTransactionList(network, block), signal).then(decodeEntries),
    completeRead(readReceiptList(network, block), signal).then(decodeEntries),
  ])
  if (transactions.length !== receipts.length) throw new Fault('unverified')
  const placed = placeReceipts(receipts)
  const blobs = await obtainBlobTerms(call, block, transactions.find(isBlobTransaction))
  const shown = placed.map((receipt, index) => ({
    ...receipt,
    index,
    raw: transactions[index] as Uint8Array,
  }))
  const rollup = await obtainRollupMembers(call, block, shown)
  return shown.map((one) => render(one, block, { blobs, rollup }, findSender))
}

/**
 * The JSON object of the receipt at `index`; label as above. Gas used and log indexes need the receipts before it, so these are
 * read too. Throws as above.
 */
export async function receiptReply(
  call: RpcCall,
  block: ProvedHeader,
  index: number,
  findSender: FindSender,
): Promise<unknown> {
  const { network, signal } = call
  const [raw, receipts] = await Promise.all([
    completeRead(readEntry(network, block, 'transactions', index), signal),
    completeRead(readEntriesTo(network, block, 'receipts', index), signal),
  ])
  const placed = placeReceipts(receipts)[index]
  if (raw === null || placed === undefined) throw new Fault('unverified')
  const blobs = await obtainBlobTerms(call, block, isBlobTransaction(raw) ? raw : undefined)
  const shown = { ...placed, index, raw }
  const rollup = await obtainRollupMembers(call, block, [shown])
  return render(shown, block, { blobs, rollup }, findSender)
}

type Terms = { readonly blobs: BlobTerms; readonly rollup: RollupMembers }

function render(
  shown: PlacedReceipt & ShownReceipt,
  block: ProvedHeader,
  { blobs, rollup }: Terms,
  findSender: FindSender,
): unknown {
  const { raw, index, receipt } = shown
  const read = readTransaction(raw, findSender)
  const { depositNonce, depositReceiptVersion = null } = receipt
  const signed =
    depositNonce === undefined ? read : withDepositNonce(read, depositNonce, depositReceiptVersion)
  return {
    ...renderReceipt(shown, signed, locationIn(block, index), blobs),
    ...rollup(shown, signed),
  }
}
