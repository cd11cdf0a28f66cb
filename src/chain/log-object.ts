// Renders one log as receipts, eth_getLogs and filters return it (geth's members and order).
// Tested by src/chain/receipt-object.test.ts
import { toHex, toQuantity } from '../base/hex.ts'
import type { Log } from '../codec/ethereum/receipt.ts'
import type { TransactionLocation } from './transaction-object.ts'

export type LogObject = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly blockHash: string
  readonly blockTimestamp: string
  readonly logIndex: string
  /** True only in results of a filter or subscription, for a block that left the chain. */
  readonly removed: boolean
}

/** `location`: of the transaction whose hash is `transactionHash`; `logIndex` counts over the block. */
export function renderLog(
  log: Log,
  location: TransactionLocation,
  {
    transactionHash,
    logIndex,
  }: { readonly transactionHash: Uint8Array; readonly logIndex: number },
): LogObject {
  return {
    address: toHex(log.address),
    topics: log.topics.map(toHex),
    data: toHex(log.data),
    blockNumber: toQuantity(location.blockNumber),
    transactionHash: toHex(transactionHash),
    transactionIndex: toQuantity(location.index),
    blockHash: toHex(location.blockHash),
    blockTimestamp: toQuantity(location.blockTimestamp),
    logIndex: toQuantity(logIndex),
    removed: false,
  }
}
