// Renders a transaction as eth_getTransactionBy… give it. Built from verified raw bytes only, so the same
// bytes come out whichever source served them; member order is fixed (contract-rpc section 8).
import { toHex, toQuantity } from '../base/hex.ts'
import type { Transaction } from '../codec/transaction.ts'
import { effectiveGasPrice } from './fees.ts'

/** Where a transaction stands. */
export type TransactionPlace = {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined
  readonly index: number
}

export type SignedTransaction = {
  readonly transaction: Transaction
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** 20 bytes. */
  readonly from: Uint8Array
}

/** The JSON object; `place` null for a transaction that still waits in the pool. */
export function renderTransaction(
  { transaction, hash, from }: SignedTransaction,
  place: TransactionPlace | null,
): Readonly<Record<string, unknown>> {
  const baseFee = place === null ? null : (place.baseFeePerGas ?? 0n)
  return {
    blockHash: place === null ? null : toHex(place.blockHash),
    blockNumber: place === null ? null : toQuantity(place.blockNumber),
    blockTimestamp: place === null ? null : toQuantity(place.blockTimestamp),
    from: toHex(from),
    gas: toQuantity(transaction.gas),
    gasPrice: toQuantity(effectiveGasPrice(transaction, baseFee)),
    ...feeCaps(transaction),
    hash: toHex(hash),
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to === null ? null : toHex(transaction.to),
    transactionIndex: place === null ? null : toQuantity(place.index),
    value: toQuantity(transaction.value),
    type: toQuantity(transaction.type),
    ...typedMembers(transaction),
    v: toQuantity(transaction.v),
    r: word(transaction.r),
    s: word(transaction.s),
    ...(transaction.type === 0 ? {} : { yParity: toQuantity(transaction.yParity) }),
  }
}

function feeCaps(transaction: Transaction): Readonly<Record<string, string>> {
  if (transaction.type === 0 || transaction.type === 1) return {}
  const caps = {
    maxFeePerGas: toQuantity(transaction.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
  }
  if (transaction.type !== 3) return caps
  return { ...caps, maxFeePerBlobGas: toQuantity(transaction.maxFeePerBlobGas) }
}

function typedMembers(transaction: Transaction): Readonly<Record<string, unknown>> {
  const chainId = transaction.chainId === null ? {} : { chainId: toQuantity(transaction.chainId) }
  if (transaction.type === 0) return chainId
  const accessList = transaction.accessList.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  }))
  if (transaction.type === 3) {
    const blobVersionedHashes = transaction.blobVersionedHashes.map(toHex)
    return { accessList, ...chainId, blobVersionedHashes }
  }
  if (transaction.type !== 4) return { accessList, ...chainId }
  const authorizationList = transaction.authorizationList.map((authorization) => ({
    chainId: toQuantity(authorization.chainId),
    address: toHex(authorization.address),
    nonce: toQuantity(authorization.nonce),
    yParity: toQuantity(authorization.yParity),
    r: word(authorization.r),
    s: word(authorization.s),
  }))
  return { accessList, ...chainId, authorizationList }
}

/** 32 bytes of hex: unlike geth, which prints r and s as QUANTITY. */
function word(value: bigint): string {
  return '0x' + value.toString(16).padStart(64, '0')
}
