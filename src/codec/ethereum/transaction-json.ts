// Encodes a block's transactions as RLP from the JSON of a block with full transactions. Reads only signed fields: not
// `from`, `hash`, `gasPrice` of types 2 to 4, blobs and their proofs.
import {
  isPresent,
  type JsonRecord,
  recordOf,
  typeOf,
  writeBytes,
  writeInteger,
  writeList,
} from './json-fields.ts'
import { entriesMax } from './list.ts'
import { Malformed, itemsMax } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'
import { isSystemType, type SystemField, systemFields } from './system-transaction.ts'
import { UnsupportedTransaction } from './transaction.ts'

/**
 * `json`: the block's `transactions`, objects in order. Returns the list as the block contains it. Throws `Malformed`, also for
 * a list of hashes, and `UnsupportedTransaction` for a type with unknown fields.
 */
export function encodeTransactionsJson(json: unknown): Uint8Array {
  const writer = new RlpWriter()
  writeList(writer, json, { name: 'transactions', countMax: entriesMax }, (transaction) =>
    writeEntry(writer, recordOf(transaction, 'transaction')),
  )
  return writer.finish()
}

function writeEntry(writer: RlpWriter, json: JsonRecord): void {
  const type = typeOf(json['type'])
  const mark = writer.mark
  if (isSystemType(type)) writeSystem(writer, json, type)
  else if (type > 4) throw new UnsupportedTransaction(type)
  else writeSigned(writer, json, type)
  writer.closeList(mark)
  if (type === 0) return
  writer.byte(type)
  writer.closeString(mark)
}

/** Writes the fields from last to first, because the writer works from the end. */
function writeSigned(writer: RlpWriter, json: JsonRecord, type: number): void {
  writeSignature(writer, json, type === 0)
  if (type === 4) writeAuthorizations(writer, json['authorizationList'])
  if (type === 3) {
    writeHashes(writer, json['blobVersionedHashes'], 'blobVersionedHashes')
    writeInteger(writer, json['maxFeePerBlobGas'], 'maxFeePerBlobGas')
  }
  if (type !== 0) writeAccessList(writer, json['accessList'])
  writeCalldata(writer, json)
  writeInteger(writer, json['value'], 'value')
  writeTo(writer, json['to'])
  writeInteger(writer, json['gas'], 'gas')
  if (type < 2) writeInteger(writer, json['gasPrice'], 'gasPrice')
  else {
    writeInteger(writer, json['maxFeePerGas'], 'maxFeePerGas')
    writeInteger(writer, json['maxPriorityFeePerGas'], 'maxPriorityFeePerGas')
  }
  writeInteger(writer, json['nonce'], 'nonce')
  if (type !== 0) writeInteger(writer, json['chainId'], 'chainId')
}

/** Zeros, `false` and absent addresses may be omitted; some nodes return the fee cap only as `gasPrice`. */
function writeSystem(writer: RlpWriter, json: JsonRecord, type: number): void {
  for (const field of systemFields(type).toReversed()) writeSystemField(writer, json, field)
}

function writeSystemField(writer: RlpWriter, json: JsonRecord, [name, form]: SystemField): void {
  const value = json[name]
  switch (form) {
    case 'hash':
      return writeBytes(writer, value, name, 32)
    case 'address':
      return writeBytes(writer, value, name, 20)
    case 'to':
      return writeTo(writer, value)
    case 'data':
      return name === 'input' ? writeCalldata(writer, json) : writeBytes(writer, value, name)
    case 'flag':
      if (typeof (value ?? false) !== 'boolean') throw new Malformed(`${name} as true or false`)
      writer.byte(value === true ? 0x01 : 0x80)
      return
    case 'integer':
    case 'uint64': {
      const other = name === 'maxFeePerGas' ? json['gasPrice'] : undefined
      const absent = name === 'mint' ? '0x0' : undefined
      writeInteger(writer, value ?? other ?? absent, name)
    }
  }
}

/** Typed transactions have `yParity`, `v`, or both; type 0 has its chain ID in `v`. */
function writeSignature(writer: RlpWriter, json: JsonRecord, isLegacy: boolean): void {
  writeInteger(writer, json['s'], 's')
  writeInteger(writer, json['r'], 'r')
  writeInteger(writer, isLegacy ? json['v'] : (json['yParity'] ?? json['v']), 'v')
}

function writeCalldata(writer: RlpWriter, json: JsonRecord): void {
  writeBytes(writer, json['input'] ?? json['data'], 'input')
}

function writeTo(writer: RlpWriter, to: unknown): void {
  if (isPresent(to)) writeBytes(writer, to, 'to', 20)
  else writer.byte(0x80)
}

function writeAccessList(writer: RlpWriter, json: unknown): void {
  writeList(writer, json, { name: 'accessList', countMax: itemsMax }, (value) => {
    const entry = recordOf(value, 'access list entry')
    const mark = writer.mark
    writeHashes(writer, entry['storageKeys'], 'storageKeys')
    writeBytes(writer, entry['address'], 'access list address', 20)
    writer.closeList(mark)
  })
}

function writeAuthorizations(writer: RlpWriter, json: unknown): void {
  writeList(writer, json, { name: 'authorizationList', countMax: itemsMax }, (value) => {
    const entry = recordOf(value, 'authorization')
    const mark = writer.mark
    writeSignature(writer, entry, false)
    writeInteger(writer, entry['nonce'], 'authorization nonce')
    writeBytes(writer, entry['address'], 'authorization address', 20)
    writeInteger(writer, entry['chainId'], 'authorization chainId')
    writer.closeList(mark)
  })
}

function writeHashes(writer: RlpWriter, json: unknown, name: string): void {
  writeList(writer, json, { name, countMax: itemsMax }, (value) =>
    writeBytes(writer, value, name, 32),
  )
}
