// Renders receipts as eth_getTransactionReceipt returns them. Members that are not in the receipt itself are
// derived from the proved list, never copied from a source.
import { Fault } from '../base/fault.ts'
import { toHex, toQuantity } from '../base/hex.ts'
import { decodeReceipt, type Receipt } from '../codec/ethereum/receipt.ts'
import { contractAddress } from '../codec/ethereum/sender.ts'
import { isSystem } from '../codec/ethereum/system-transaction.ts'
import { UnsupportedTransaction } from '../codec/ethereum/transaction.ts'
import { blobBaseFee, effectiveGasPrice, gasPerBlob } from './fees.ts'
import { renderLog } from './log-object.ts'
import type { SignedTransaction, TransactionLocation } from './transaction-object.ts'

/** A receipt with its own gas and the index of its first log, from the receipts before it in the block. */
export type PlacedReceipt = {
  readonly receipt: Receipt
  readonly gasUsed: bigint
  readonly firstLogIndex: number
}

/**
 * Decodes a block's receipts in order; `entries` as codec/list returns them. Throws `unprovable` on a type
 * whose bytes can be stored and proved but not decoded.
 */
export function placeReceipts(entries: readonly Uint8Array[]): readonly PlacedReceipt[] {
  let gasBefore = 0n
  let firstLogIndex = 0
  return entries.map((entry) => {
    const receipt = readReceipt(entry)
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

function readReceipt(entry: Uint8Array): Receipt {
  try {
    return decodeReceipt(entry)
  } catch (thrown) {
    if (!(thrown instanceof UnsupportedTransaction)) throw thrown
    throw new Fault('unprovable', { detail: thrown.message, cause: thrown })
  }
}

/** The block's values for the blob members. */
export type BlobTerms = {
  readonly excessBlobGas: bigint | undefined
  /** Null: the schedule is unknown. */
  readonly fraction: bigint | null
  /** The price that an upstream reported (QUANTITY), for an unknown schedule. Absent: the receipt has no price. */
  readonly reportedPrice?: string
}

/** The JSON object, members in geth's order. */
export function renderReceipt(
  { receipt, gasUsed, firstLogIndex }: PlacedReceipt,
  { transaction, hash, from }: SignedTransaction,
  location: TransactionLocation,
  blobs: BlobTerms,
): Readonly<Record<string, unknown>> {
  const blobGasUsed =
    !isSystem(transaction) && transaction.type === 3
      ? BigInt(transaction.blobVersionedHashes.length) * gasPerBlob
      : null
  return {
    ...(blobGasUsed === null ? {} : renderBlobMembers(blobGasUsed, blobs)),
    blockHash: toHex(location.blockHash),
    blockNumber: toQuantity(location.blockNumber),
    contractAddress:
      transaction.to === null ? toHex(contractAddress(from, transaction.nonce)) : null,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: toQuantity(effectiveGasPrice(transaction, location.baseFeePerGas ?? 0n)),
    from: toHex(from),
    gasUsed: toQuantity(gasUsed),
    logs: receipt.logs.map((log, at) =>
      renderLog(log, location, { transactionHash: hash, logIndex: firstLogIndex + at }),
    ),
    logsBloom: toHex(receipt.logsBloom),
    // Byzantium (EIP-658) replaced the post-state root by a status.
    ...(receipt.postState === null ? {} : { root: toHex(receipt.postState) }),
    ...(receipt.status === null ? {} : { status: receipt.status ? '0x1' : '0x0' }),
    to: transaction.to === null ? null : toHex(transaction.to),
    transactionHash: toHex(hash),
    transactionIndex: toQuantity(location.index),
    type: toQuantity(receipt.type),
  }
}

function renderBlobMembers(
  blobGasUsed: bigint,
  { excessBlobGas, fraction, reportedPrice }: BlobTerms,
): Readonly<Record<string, string>> {
  const used = { blobGasUsed: toQuantity(blobGasUsed) }
  if (fraction === null && reportedPrice !== undefined) {
    return { blobGasPrice: reportedPrice, ...used }
  }
  if (excessBlobGas === undefined || fraction === null) return used
  return { blobGasPrice: toQuantity(blobBaseFee(excessBlobGas, fraction)), ...used }
}
