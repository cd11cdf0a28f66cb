// Transactions of types 0 to 4 in their block form (EIP-2718, 155, 2930, 1559, 4844, 7702). Decoded strictly, so that
// encoding gives the same bytes and the same hash.
import { keccak256 } from '../hash/keccak.ts'
import { Malformed, decodeRlp, splitList } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'
import { TransactionFields } from './transaction-fields.ts'
import type { AccessListEntry, Authorization } from './transaction-fields.ts'

/** EIP-4844. */
export const blobTransactionType = 0x03

/** `to`: 20 bytes, null creates a contract. `v`: as signed in type 0, else equal to `yParity`. */
type TransactionBase = {
  readonly nonce: bigint
  readonly gas: bigint
  readonly to: Uint8Array | null
  readonly value: bigint
  readonly data: Uint8Array
  readonly v: bigint
  readonly yParity: 0 | 1
  readonly r: bigint
  readonly s: bigint
}

/** `chainId` is null before EIP-155 (v 27 or 28). */
type LegacyTransaction = TransactionBase & {
  readonly type: 0
  readonly chainId: bigint | null
  readonly gasPrice: bigint
}
type AccessListTransaction = TransactionBase & {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: readonly AccessListEntry[]
}
type DynamicFee = {
  readonly chainId: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
}
type DynamicFeeTransaction = TransactionBase & DynamicFee & { readonly type: 2 }
/** Without its sidecar: a block never contains blobs. `blobVersionedHashes`: 32 bytes each. */
type BlobTransaction = TransactionBase &
  DynamicFee & {
    readonly type: 3
    readonly to: Uint8Array
    readonly maxFeePerBlobGas: bigint
    readonly blobVersionedHashes: readonly Uint8Array[]
  }
type SetCodeTransaction = TransactionBase &
  DynamicFee & {
    readonly type: 4
    readonly to: Uint8Array
    readonly authorizationList: readonly Authorization[]
  }
export type Transaction =
  | LegacyTransaction
  | AccessListTransaction
  | DynamicFeeTransaction
  | BlobTransaction
  | SetCodeTransaction

/** A type that Cairn does not support. It may be valid: its list can be verified, but its fields cannot be read. */
export class UnsupportedTransaction extends Error {
  override readonly name = 'UnsupportedTransaction'
  readonly type: number

  constructor(type: number) {
    super(`transaction type 0x${type.toString(16)} is not known`)
    this.type = type
  }
}

/** Polygon: rows of state sync (PIP-74). */
export const stateSyncType = 0x7f

/** keccak256 of the raw entry, 32 bytes. For state sync, its rows are wrapped in one more list. */
export function transactionHash(raw: Uint8Array): Uint8Array {
  return keccak256(raw[0] === stateSyncType ? stateSyncBytes(raw) : raw)
}

/**
 * For the hash, bor encodes its struct, a list whose only field is the list of rows; the trie contains only the list of rows
 * (core/types, Transaction.Hash and StateSyncTx.encode). Types of other chains with this number are not lists of lists.
 */
function stateSyncBytes(raw: Uint8Array): Uint8Array {
  const payload = raw.subarray(1)
  if (!isListOfLists(payload)) return raw
  const writer = new RlpWriter(payload.length + longestHead)
  writer.raw(payload)
  writer.closeList(0)
  writer.byte(stateSyncType)
  return writer.finish()
}

function isListOfLists(payload: Uint8Array): boolean {
  try {
    return splitList(payload).every((row) => (row[0] ?? 0) >= 0xc0)
  } catch (thrown) {
    if (thrown instanceof Malformed) return false
    throw thrown
  }
}

/** Maximum head length of an RLP list, including the type before it. */
const longestHead = 10

/**
 * `raw`: an entry from `decodeEntries`; byte fields are views of it. Signatures are not verified, only the
 * range of `v`. Throws `Malformed`, or `UnsupportedTransaction` for an unknown type.
 */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const first = raw[0]
  if (first === undefined) throw new Malformed('a transaction, got no bytes')
  if (first >= 0xc0) return legacy(new TransactionFields(decodeRlp(raw), 9))
  if (first >= 0x80) throw new Malformed('a list or a type below 0x80')
  switch (first) {
    case 1: {
      const fields = new TransactionFields(decodeRlp(raw.subarray(1)), 11)
      const chainId = fields.integer('chainId')
      const nonce = fields.integer('nonce', 8)
      const gasPrice = fields.integer('gasPrice')
      const call = { ...fields.call(), accessList: fields.accessList() }
      return { type: 1, chainId, nonce, gasPrice, ...call, ...fields.signature() }
    }
    case 2: {
      const fields = new TransactionFields(decodeRlp(raw.subarray(1)), 12)
      return { type: 2, ...fields.dynamicFee(), ...fields.signature() }
    }
    case 3: {
      const fields = new TransactionFields(decodeRlp(raw.subarray(1)), 14)
      const base = { ...fields.dynamicFee(), maxFeePerBlobGas: fields.integer('maxFeePerBlobGas') }
      const blobVersionedHashes = fields.hashes('blobVersionedHashes')
      return { type: 3, ...calling(base), blobVersionedHashes, ...fields.signature() }
    }
    case 4: {
      const fields = new TransactionFields(decodeRlp(raw.subarray(1)), 13)
      const base = fields.dynamicFee()
      const authorizationList = fields.authorizations()
      return { type: 4, ...calling(base), authorizationList, ...fields.signature() }
    }
    default:
      throw new UnsupportedTransaction(first)
  }
}

function legacy(fields: TransactionFields): LegacyTransaction {
  const nonce = fields.integer('nonce', 8)
  const gasPrice = fields.integer('gasPrice')
  const call = fields.call()
  const v = fields.integer('v')
  const rs = { r: fields.integer('r'), s: fields.integer('s') }
  if (v !== 27n && v !== 28n && v < 35n) throw new Malformed(`v of 27, 28 or from 35 on, got ${v}`)
  const chainId = v < 35n ? null : (v - 35n) / 2n
  const yParity = (v < 35n ? v - 27n : (v - 35n) % 2n) === 0n ? 0 : 1
  return { type: 0, chainId, nonce, gasPrice, ...call, v, yParity, ...rs }
}

/** EIP-4844 and EIP-7702 transactions create no contract. */
function calling<T extends { readonly to: Uint8Array | null }>(fields: T): T & { to: Uint8Array } {
  const { to } = fields
  if (to === null) throw new Malformed('to of 20 bytes, got 0')
  return { ...fields, to }
}
