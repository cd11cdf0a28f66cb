// Transactions that a chain's protocol makes, without a signature: deposits of the OP Stack (0x7e), the types of Arbitrum
// Nitro (0x64 to 0x6a), state sync of Polygon (0x7f). Sources: specs.optimism.io, Deposits; OffchainLabs/go-ethereum
// core/types/arb_types.go; PIP-74.
// Tested by src/codec/ethereum/system-transaction.test.ts
import { fromHex } from '../../base/hex.ts'
import { Malformed, type RlpItem, bytesField, decodeRlp, integerField, listField } from './rlp.ts'
import {
  decodeTransaction,
  stateSyncType,
  type Transaction,
  UnsupportedTransaction,
} from './transaction.ts'

/** OP Stack: a transaction from the L1. */
export const depositType = 0x7e
/** Arbitrum: the sender of these types pays no gas. The second type is the first transaction of every block. */
export const nitroDepositType = 0x64
export const nitroInternalType = 0x6a
/** Arbitrum: `to` null creates a contract at an address that cannot be computed from the transaction. */
export const nitroContractType = 0x66
export const nitroRetryType = 0x68
const nitroSubmitType = 0x69

/** `to`: 20 bytes or none. `integer`: at most 32 bytes, `uint64` 8. `flag`: a boolean. */
type Form = 'hash' | 'address' | 'to' | 'integer' | 'uint64' | 'flag' | 'data'

/** A field by its JSON name. */
export type SystemField = readonly [name: string, form: Form]

const call: readonly SystemField[] = [
  ['gas', 'uint64'],
  ['to', 'to'],
  ['value', 'integer'],
  ['input', 'data'],
]

/** The fields of each type, in the order of the payload. */
const fieldsOfTypes: ReadonlyMap<number, readonly SystemField[]> = new Map([
  [
    depositType,
    [
      ['sourceHash', 'hash'],
      ['from', 'address'],
      ['to', 'to'],
      ['mint', 'integer'],
      ['value', 'integer'],
      ['gas', 'uint64'],
      ['isSystemTx', 'flag'],
      ['input', 'data'],
    ],
  ],
  [
    nitroDepositType,
    [
      ['chainId', 'integer'],
      ['requestId', 'hash'],
      ['from', 'address'],
      ['to', 'address'],
      ['value', 'integer'],
    ],
  ],
  [
    0x65,
    [
      ['chainId', 'integer'],
      ['from', 'address'],
      ['nonce', 'uint64'],
      ['gasPrice', 'integer'],
      ...call,
    ],
  ],
  [
    nitroContractType,
    [
      ['chainId', 'integer'],
      ['requestId', 'hash'],
      ['from', 'address'],
      ['maxFeePerGas', 'integer'],
      ...call,
    ],
  ],
  [
    nitroRetryType,
    [
      ['chainId', 'integer'],
      ['nonce', 'uint64'],
      ['from', 'address'],
      ['maxFeePerGas', 'integer'],
      ...call,
      ['ticketId', 'hash'],
      ['refundTo', 'address'],
      ['maxRefund', 'integer'],
      ['submissionFeeRefund', 'integer'],
    ],
  ],
  [
    nitroSubmitType,
    [
      ['chainId', 'integer'],
      ['requestId', 'hash'],
      ['from', 'address'],
      ['l1BaseFee', 'integer'],
      ['depositValue', 'integer'],
      ['maxFeePerGas', 'integer'],
      ['gas', 'uint64'],
      ['retryTo', 'to'],
      ['retryValue', 'integer'],
      ['beneficiary', 'address'],
      ['maxSubmissionFee', 'integer'],
      ['refundTo', 'address'],
      ['retryData', 'data'],
    ],
  ],
  [
    nitroInternalType,
    [
      ['chainId', 'integer'],
      ['input', 'data'],
    ],
  ],
])

/** Bytes, an integer, a boolean; null: no address. */
export type SystemValue = Uint8Array | bigint | boolean | null

/** Byte fields are views. `members`: the payload's fields by JSON name, in payload order; empty for type 0x7f. */
export type SystemTransaction = {
  readonly system: true
  readonly type: number
  /** 20 bytes. */
  readonly from: Uint8Array
  /** 20 bytes; null creates a contract. */
  readonly to: Uint8Array | null
  /** 0 for type 0x7e: its receipt contains the nonce. */
  readonly nonce: bigint
  readonly gas: bigint
  readonly value: bigint
  /** Maximum price per gas for the sender; 0 if gas is free. */
  readonly gasPrice: bigint
  readonly data: Uint8Array
  readonly members: ReadonlyMap<string, SystemValue>
}

/** A transaction of any supported type. */
export type AnyTransaction = Transaction | SystemTransaction

export function isSystem(transaction: AnyTransaction): transaction is SystemTransaction {
  return 'system' in transaction
}

/** `raw`: an entry of a block's list. Throws `Malformed` and `UnsupportedTransaction`. */
export function decodeAnyTransaction(raw: Uint8Array): AnyTransaction {
  return isSystemType(raw[0] ?? 0) ? decodeSystemTransaction(raw) : decodeTransaction(raw)
}

/** 0x64 to 0x6a without 0x67, 0x7e, 0x7f. */
export function isSystemType(type: number): boolean {
  return type === stateSyncType || fieldsOfTypes.has(type)
}

/** In payload order. Throws `UnsupportedTransaction` for type 0x7f, which JSON never contains completely, and unknown types. */
export function systemFields(type: number): readonly SystemField[] {
  const fields = fieldsOfTypes.get(type)
  if (fields === undefined) throw new UnsupportedTransaction(type)
  return fields
}

/**
 * `raw`: an entry of one of these types. Throws `UnsupportedTransaction`, also for a payload of another form, because chains use
 * the same numbers for different types.
 */
export function decodeSystemTransaction(raw: Uint8Array): SystemTransaction {
  const type = raw[0] ?? 0
  try {
    const payload = decodeRlp(raw.subarray(1))
    return type === stateSyncType ? stateSync(payload) : transactionOf(type, payload)
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new UnsupportedTransaction(type)
    throw thrown
  }
}

function transactionOf(type: number, payload: RlpItem): SystemTransaction {
  const fields = systemFields(type)
  const items = listField(payload, 'transaction', fields.length)
  const members = new Map(
    fields.map(([name, form], index) => [name, valueOf(items[index], name, form)]),
  )
  const integer = (name: string) => (members.get(name) as bigint | undefined) ?? 0n
  const base = {
    system: true,
    type,
    nonce: integer('nonce'),
    gas: integer('gas'),
    value: integer('value'),
    gasPrice: members.has('maxFeePerGas') ? integer('maxFeePerGas') : integer('gasPrice'),
    members,
  } as const
  const data = (members.get('input') as Uint8Array | undefined) ?? new Uint8Array(0)
  if (type === nitroInternalType) return { ...base, from: arbOs, to: arbOs, data }
  const from = members.get('from') as Uint8Array
  if (type === nitroSubmitType) return { ...base, from, to: retryables, data: submitData(members) }
  return { ...base, from, to: members.get('to') as Uint8Array | null, data }
}

/** ArbosAddress. */
const arbOs = fromHex('0x00000000000000000000000000000000000a4b05')
/** ArbRetryableTxAddress. */
const retryables = fromHex('0x000000000000000000000000000000000000006e')

function valueOf(item: RlpItem | undefined, name: string, form: Form): SystemValue {
  switch (form) {
    case 'hash':
      return bytesField(item, name, 32)
    case 'address':
      return bytesField(item, name, 20)
    case 'to':
      return bytesField(item, name).length === 0 ? null : bytesField(item, name, 20)
    case 'integer':
      return integerField(item, name, 32)
    case 'uint64':
      return integerField(item, name, 8)
    case 'data':
      return bytesField(item, name)
    case 'flag': {
      const value = integerField(item, name, 1)
      if (value > 1n) throw new Malformed(`${name} as 0 or 1`)
      return value === 1n
    }
  }
}

/** The call of ArbRetryableTx that Arbitrum returns as the input of a submission: ABI encoding of submitRetryable. */
function submitData(members: ReadonlyMap<string, SystemValue>): Uint8Array {
  const retryData = members.get('retryData') as Uint8Array
  const head = submitWords.map((name) => members.get(name) ?? null)
  const words = [...head, BigInt((head.length + 1) * 32), BigInt(retryData.length)]
  const padded = Math.ceil(retryData.length / 32) * 32
  const data = new Uint8Array(4 + words.length * 32 + padded)
  data.set(submitSelector)
  for (const [index, value] of words.entries()) {
    const bytes = typeof value === 'bigint' ? wordOf(value) : ((value ?? []) as Uint8Array)
    data.set(bytes, 4 + (index + 1) * 32 - bytes.length)
  }
  data.set(retryData, 4 + words.length * 32)
  return data
}

const submitWords: readonly string[] = [
  'requestId',
  'l1BaseFee',
  'depositValue',
  'retryValue',
  'maxFeePerGas',
  'gas',
  'maxSubmissionFee',
  'refundTo',
  'beneficiary',
  'retryTo',
]
const submitSelector = Uint8Array.of(0xc9, 0xf9, 0x5d, 0x32)

function wordOf(value: bigint): Uint8Array {
  return fromHex(`0x${value.toString(16).padStart(64, '0')}`)
}

/** PIP-74. */
const stateSyncRowsMax = 2_048

/** Rows of [id, contract, data, hash]. Only their form is checked; nodes return none of them. */
function stateSync(payload: RlpItem): SystemTransaction {
  const rows = listField(payload, 'state sync')
  if (rows.length > stateSyncRowsMax) throw new Malformed(`at most ${stateSyncRowsMax} rows`)
  for (const row of rows) {
    const [id, contract, data, hash] = listField(row, 'row', 4)
    integerField(id, 'id', 8)
    bytesField(contract, 'contract', 20)
    bytesField(data, 'data')
    bytesField(hash, 'txHash', 32)
  }
  const none = { nonce: 0n, gas: 0n, value: 0n, gasPrice: 0n, data: new Uint8Array(0) }
  const zero = new Uint8Array(20)
  return { system: true, type: stateSyncType, from: zero, to: zero, ...none, members: new Map() }
}
