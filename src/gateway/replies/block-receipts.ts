// The receipts of a proved block beside its transactions, ready to be rendered.
// Tested by src/gateway/operations/rpc-compat.test.ts
import { Fault } from '../../base/fault.ts'
import { decodeEntries } from '../../codec/list.ts'
import { type ProvedHeader, readReceiptList, readTransactionList } from '../../ethereum/blocks.ts'
import { placeReceipts, renderReceipt } from '../../ethereum/receipt-object.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { placeIn, readTransaction } from '../../ethereum/transactions.ts'
import type { RpcCall } from '../operation.ts'

/**
 * The JSON objects of the receipts of `block`, of all or of the one at `only`; label `proof`. Throws
 * `pruned`, `unprovable`, and `unverified` when the two lists differ in length.
 */
export async function receiptReplies(
  call: RpcCall,
  block: ProvedHeader,
  findSender: FindSender,
  only?: number,
): Promise<readonly unknown[]> {
  const { network, signal } = call
  const [transactions, receipts] = await Promise.all([
    readTransactionList(network, block, signal).then(decodeEntries),
    readReceiptList(network, block, signal).then(decodeEntries),
  ])
  if (transactions.length !== receipts.length) throw new Fault('unverified')
  const placed = placeReceipts(receipts)
  const blobs = {
    excessBlobGas: block.header.excessBlobGas,
    fraction: network.blobFeeFraction(block.header.timestamp),
  }
  call.labels.level('proof')
  return placed.flatMap((receipt, index) => {
    const raw = transactions[index]
    if (raw === undefined || (only !== undefined && only !== index)) return []
    const signed = readTransaction(raw, findSender)
    return [renderReceipt(receipt, signed, placeIn(block, index), blobs)]
  })
}
