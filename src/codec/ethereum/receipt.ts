// Receipts as covered by the receipts root (Yellow Paper 4.4.1, EIP-658, EIP-2718). Gas used, log indexes and addresses
// are derived elsewhere, from neighbours and transactions.
import {
  Malformed,
  type RlpItem,
  bytesField,
  decodeRlp,
  encodeInteger,
  encodeRlp,
  integerField,
  listField,
} from './rlp.ts'
import { depositType, isSystemType } from './system-transaction.ts'
import { UnsupportedTransaction } from './transaction.ts'

/** `address`: 20 bytes; `topics`: at most 4 of 32 bytes. */
export type Log = {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** Exactly one of `status` (since Byzantium) and `postState` (32 bytes, before) is not null. */
export type Receipt = {
  readonly type: number
  readonly status: boolean | null
  readonly postState: Uint8Array | null
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
  /** Type 0x7e since Canyon (OP Stack): the sender's nonce before the deposit, and 1. */
  readonly depositNonce?: bigint
  readonly depositReceiptVersion?: bigint
}

/**
 * `raw`: an entry from `decodeEntries`; byte fields are views. Throws `Malformed`, or `UnsupportedTransaction` for a type other
 * than 0 to 4 and those of `isSystemType`.
 */
export function decodeReceipt(raw: Uint8Array): Receipt {
  const first = raw[0]
  if (first === undefined) throw new Malformed('a receipt, got no bytes')
  if (first >= 0x80 && first < 0xc0) throw new Malformed('a list or a type below 0x80')
  if (first < 0xc0 && (first === 0 || first > 4) && !isSystemType(first)) {
    throw new UnsupportedTransaction(first)
  }
  const type = first >= 0xc0 ? 0 : first
  const items = listField(decodeRlp(type === 0 ? raw : raw.subarray(1)), 'receipt')
  const isDeposit = type === depositType && items.length > 4 && items.length < 7
  if (items.length !== 4 && !isDeposit) {
    throw new Malformed(`receipt of 4 items, got ${items.length}`)
  }
  return {
    type,
    ...outcomeOf(bytesField(items[0], 'status')),
    cumulativeGasUsed: integerField(items[1], 'cumulativeGasUsed', 8),
    logsBloom: bytesField(items[2], 'logsBloom', 256),
    logs: listField(items[3], 'logs').map(logOf),
    ...(items.length > 4 && { depositNonce: integerField(items[4], 'depositNonce', 8) }),
    ...(items.length > 5 && {
      depositReceiptVersion: integerField(items[5], 'depositReceiptVersion', 8),
    }),
  }
}

/** The raw entry. Throws `Malformed` if it has neither status nor post-state. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { type, status, postState } = receipt
  const outcome = postState ?? (status === null ? null : encodeInteger(status ? 1 : 0))
  if (outcome === null) throw new Malformed('status or postState')
  const payload = encodeRlp([
    outcome,
    encodeInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map(({ address, topics, data }) => [address, topics, data]),
    ...depositItems(receipt),
  ])
  if (type === 0) return payload
  const entry = new Uint8Array(1 + payload.length)
  entry[0] = type
  entry.set(payload, 1)
  return entry
}

function depositItems({ depositNonce, depositReceiptVersion }: Receipt): RlpItem[] {
  if (depositNonce === undefined) return []
  const nonce = encodeInteger(depositNonce)
  return depositReceiptVersion === undefined
    ? [nonce]
    : [nonce, encodeInteger(depositReceiptVersion)]
}

function outcomeOf(bytes: Uint8Array): Pick<Receipt, 'status' | 'postState'> {
  if (bytes.length === 32) return { status: null, postState: bytes }
  if (bytes.length === 0) return { status: false, postState: null }
  if (bytes.length === 1 && bytes[0] === 1) return { status: true, postState: null }
  throw new Malformed('status of 0 or 1, or a post-state of 32 bytes')
}

function logOf(item: RlpItem): Log {
  const [address, topics, data] = listField(item, 'log', 3)
  const list = listField(topics, 'topics')
  if (list.length > 4) throw new Malformed(`at most 4 topics, got ${list.length}`)
  return {
    address: bytesField(address, 'log address', 20),
    topics: list.map((topic) => bytesField(topic, 'topic', 32)),
    data: bytesField(data, 'log data'),
  }
}
