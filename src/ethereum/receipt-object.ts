// Renders receipts as eth_getTransactionReceipt gives them. Everything that is not in the receipt itself is
// derived from the proved list (verification 1.7), never copied from a source.
import { toHex, toQuantity } from '../base/hex.ts'
import { decodeReceipt, type Receipt } from '../codec/receipt.ts'
import { contractAddress } from '../codec/sender.ts'
import { blobBaseFee, effectiveGasPrice, gasPerBlob } from './fees.ts'
import type { SignedTransaction, TransactionPlace } from './transaction-object.ts'

/** A receipt with the two sums over those before it in the block. */
export type PlacedReceipt = {
  readonly receipt: Receipt
  readonly gasUsed: bigint
  readonly firstLogIndex: number
}

/** Decodes a block's receipts in order; `entries` as codec/list gives them. */
export function placeReceipts(entries: readonly Uint8Array[]): readonly PlacedReceipt[] {
  let gasBefore = 0n
  let firstLogIndex = 0
  return entries.map((entry) => {
    const receipt = decodeReceipt(entry)
    const placed = {
      receipt,
      gasUsed: receipt.cumulativeGasUsed - gasBefore,
      firstLogIndex,
    }
    gasBefore = receipt.cumulativeGasUsed
    firstLogIndex += receipt.logs.length
    return placed
  })
}

/** What blob members need of the block; null fraction: the schedule is unknown and the price left out. */
export type BlobTerms = {
  readonly excessBlobGas: bigint | undefined
  readonly fraction: bigint | null
}

/** The JSON object, members in geth's order. */
export function renderReceipt(
  { receipt, gasUsed, firstLogIndex }: PlacedReceipt,
  { transaction, hash, from }: SignedTransaction,
  place: TransactionPlace,
  blobs: BlobTerms,
): Readonly<Record<string, unknown>> {
  const blobGasUsed =
    transaction.type === 3 ? BigInt(transaction.blobVersionedHashes.length) * gasPerBlob : null
  return {
    ...(blobGasUsed === null ? {} : renderBlobMembers(blobGasUsed, blobs)),
    blockHash: toHex(place.blockHash),
    blockNumber: toQuantity(place.blockNumber),
    contractAddress:
      transaction.to === null ? toHex(contractAddress(from, transaction.nonce)) : null,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: toQuantity(effectiveGasPrice(transaction, place.baseFeePerGas ?? 0n)),
    from: toHex(from),
    gasUsed: toQuantity(gasUsed),
    logs: receipt.logs.map((log, at) => ({
      address: toHex(log.address),
      topics: log.topics.map(toHex),
      data: toHex(log.data),
      blockNumber: toQuantity(place.blockNumber),
      transactionHash: toHex(hash),
      transactionIndex: toQuantity(place.index),
      blockHash: toHex(place.blockHash),
      blockTimestamp: toQuantity(place.blockTimestamp),
      logIndex: toQuantity(firstLogIndex + at),
      removed: false,
    })),
    logsBloom: toHex(receipt.logsBloom),
    // Byzantium (EIP-658) replaced the post-state root by a status.
    ...(receipt.postState === null ? {} : { root: toHex(receipt.postState) }),
    ...(receipt.status === null ? {} : { status: receipt.status ? '0x1' : '0x0' }),
    to: transaction.to === null ? null : toHex(transaction.to),
    transactionHash: toHex(hash),
    transactionIndex: toQuantity(place.index),
    type: toQuantity(receipt.type),
  }
}

function renderBlobMembers(
  blobGasUsed: bigint,
  { excessBlobGas, fraction }: BlobTerms,
): Readonly<Record<string, string>> {
  const used = { blobGasUsed: toQuantity(blobGasUsed) }
  if (excessBlobGas === undefined || fraction === null) return used
  return { blobGasPrice: toQuantity(blobBaseFee(excessBlobGas, fraction)), ...used }
}
