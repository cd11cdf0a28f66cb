// Encodes a transaction of types 0 to 4: its form in a block, and the form that the sender signed.
import { keccak256 } from '../hash/keccak.ts'
import { type RlpItem, encodeInteger, encodeRlp } from './rlp.ts'
import type { Transaction } from './transaction.ts'
import type { AccessListEntry } from './transaction-fields.ts'

/** The raw entry: an RLP list for type 0, else `type || payload`. A new array. */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  const { type, v, r, s } = transaction
  const signature = [v, r, s].map(encodeInteger)
  return withType(type, [...fieldsOf(transaction), ...signature])
}

/** The hash that the sender signed, 32 bytes. */
export function signingHash(transaction: Transaction): Uint8Array {
  return keccak256(encodeUnsigned(transaction))
}

/** The unsigned form; type 0 includes its chain ID, if it has one (EIP-155). */
function encodeUnsigned(transaction: Transaction): Uint8Array {
  const fields = fieldsOf(transaction)
  if (transaction.type === 0 && transaction.chainId !== null) {
    fields.push(encodeInteger(transaction.chainId), encodeInteger(0), encodeInteger(0))
  }
  return withType(transaction.type, fields)
}

function withType(type: number, fields: readonly RlpItem[]): Uint8Array {
  const payload = encodeRlp(fields)
  if (type === 0) return payload
  const entry = new Uint8Array(1 + payload.length)
  entry[0] = type
  entry.set(payload, 1)
  return entry
}

function fieldsOf(transaction: Transaction): RlpItem[] {
  const { gas, to, value, data } = transaction
  const call = [encodeInteger(gas), to ?? new Uint8Array(0), encodeInteger(value), data]
  const nonce = encodeInteger(transaction.nonce)
  if (transaction.type === 0) return [nonce, encodeInteger(transaction.gasPrice), ...call]
  const chainId = encodeInteger(transaction.chainId)
  const accessList = transaction.accessList.map(accessListItem)
  if (transaction.type === 1) {
    return [chainId, nonce, encodeInteger(transaction.gasPrice), ...call, accessList]
  }
  const fees = [transaction.maxPriorityFeePerGas, transaction.maxFeePerGas].map(encodeInteger)
  return [chainId, nonce, ...fees, ...call, accessList, ...fieldsOfType(transaction)]
}

function fieldsOfType(transaction: Extract<Transaction, { type: 2 | 3 | 4 }>): RlpItem[] {
  switch (transaction.type) {
    case 2:
      return []
    case 3:
      return [encodeInteger(transaction.maxFeePerBlobGas), transaction.blobVersionedHashes]
    case 4:
      return [
        transaction.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => [
          encodeInteger(chainId),
          address,
          ...[nonce, yParity, r, s].map(encodeInteger),
        ]),
      ]
  }
}

function accessListItem({ address, storageKeys }: AccessListEntry): RlpItem {
  return [address, storageKeys]
}
