// Renders a transaction as eth_getTransactionBy… returns it. Built from verified raw bytes only, so the result is the same for
// every source of the bytes. The member order is geth's.
import { toHex, toQuantity } from '../base/hex.ts'
import { impersonatedSender } from '../codec/ethereum/impersonation.ts'
import {
  type AnyTransaction,
  isSystem,
  type SystemTransaction,
  type SystemValue,
} from '../codec/ethereum/system-transaction.ts'
import type { Transaction } from '../codec/ethereum/transaction.ts'
import { effectiveGasPrice } from './fees.ts'

/** The location of a transaction. */
export type TransactionLocation = {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined
  readonly index: number
}

export type SignedTransaction = {
  readonly transaction: AnyTransaction
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** 20 bytes. */
  readonly from: Uint8Array
}

/** The JSON object; `location` null for a pending transaction. */
export function renderTransaction(
  { transaction, hash, from }: SignedTransaction,
  location: TransactionLocation | null,
): Readonly<Record<string, unknown>> {
  const baseFee = location === null ? null : (location.baseFeePerGas ?? 0n)
  return {
    blockHash: location === null ? null : toHex(location.blockHash),
    blockNumber: location === null ? null : toQuantity(location.blockNumber),
    blockTimestamp: location === null ? null : toQuantity(location.blockTimestamp),
    from: toHex(from),
    gas: toQuantity(transaction.gas),
    gasPrice: toQuantity(effectiveGasPrice(transaction, baseFee)),
    ...(isSystem(transaction) ? {} : feeCaps(transaction)),
    hash: toHex(hash),
    input: toHex(transaction.data),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to === null ? null : toHex(transaction.to),
    transactionIndex: location === null ? null : toQuantity(location.index),
    value: toQuantity(transaction.value),
    type: toQuantity(transaction.type),
    ...(isSystem(transaction) ? systemMembers(transaction) : signedMembers(transaction)),
  }
}

function signedMembers(transaction: Transaction): Readonly<Record<string, unknown>> {
  return {
    ...typedMembers(transaction),
    v: toQuantity(transaction.v),
    r: toQuantity(transaction.r),
    s: toQuantity(transaction.s),
    ...(transaction.type === 0 ? {} : { yParity: toQuantity(transaction.yParity) }),
    // Not a member in geth's result. It shows that r, s and v are not a signature.
    ...(impersonatedSender(transaction) === null ? {} : { impersonated: true }),
  }
}

/** Members of every transaction, which are rendered above. */
const shared: ReadonlySet<string> = new Set([
  'from',
  'to',
  'gas',
  'gasPrice',
  'value',
  'input',
  'nonce',
])

/** The fields specific to its chain. Nodes omit a mint of zero, a false flag and an absent address. */
function systemMembers({ members }: SystemTransaction): Readonly<Record<string, unknown>> {
  const systemFields = [...members].filter(
    ([name, value]) =>
      !shared.has(name) && value !== null && value !== false && !(name === 'mint' && value === 0n),
  )
  const zero = { v: '0x0', r: '0x0', s: '0x0' }
  return {
    ...Object.fromEntries(systemFields.map(([name, value]) => [name, shown(value)])),
    ...zero,
  }
}

function shown(value: SystemValue): unknown {
  if (typeof value === 'bigint') return toQuantity(value)
  return value instanceof Uint8Array ? toHex(value) : value
}

/**
 * The JSON object of an unsigned transaction, with geth's members for a single transaction. `hash`: of its unsigned bytes, so a
 * signature changes it.
 */
export function renderUnsigned(
  transaction: Transaction,
  hash: Uint8Array,
): Readonly<Record<string, unknown>> {
  const { type } = transaction
  const isDynamic = type !== 0 && type !== 1
  const { chainId, ...members }: Readonly<Record<string, unknown>> = typedMembers(transaction)
  return {
    type: toQuantity(type),
    ...(type === 0 ? {} : { chainId }),
    nonce: toQuantity(transaction.nonce),
    to: transaction.to === null ? null : toHex(transaction.to),
    gas: toQuantity(transaction.gas),
    gasPrice: isDynamic ? null : toQuantity(transaction.gasPrice),
    maxPriorityFeePerGas: null,
    maxFeePerGas: null,
    ...feeCaps(transaction),
    value: toQuantity(transaction.value),
    input: toHex(transaction.data),
    ...members,
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(type === 0 ? {} : { yParity: '0x0' }),
    hash: toHex(hash),
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
    r: toQuantity(authorization.r),
    s: toQuantity(authorization.s),
  }))
  return { accessList, ...chainId, authorizationList }
}
