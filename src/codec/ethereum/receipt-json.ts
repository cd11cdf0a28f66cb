// Encodes a block's receipts as RLP from eth_getBlockReceipts. Reads only the fields that the receipts root covers; sums,
// indexes and addresses are derived from them later.
import {
  bytesOf,
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
import { depositType, isSystemType } from './system-transaction.ts'
import { UnsupportedTransaction } from './transaction.ts'

const topicsMax = 4

/**
 * `json`: receipts in the order of their transactions. Returns one RLP list in the form of codec/list. Throws
 * `Malformed`, and `UnsupportedTransaction` for a type with unknown receipts.
 */
export function encodeReceiptsJson(json: unknown): Uint8Array {
  const writer = new RlpWriter()
  writeList(writer, json, { name: 'receipts', countMax: entriesMax }, (receipt) =>
    writeReceipt(writer, recordOf(receipt, 'receipt')),
  )
  return writer.finish()
}

function writeReceipt(writer: RlpWriter, json: JsonRecord): void {
  const type = typeOf(json['type'])
  if (type > 4 && !isSystemType(type)) throw new UnsupportedTransaction(type)
  const mark = writer.mark
  // Before Canyon nodes return a nonce that the root does not cover; since Canyon it covers the nonce and a version.
  if (type === depositType && isPresent(json['depositReceiptVersion'])) {
    writeInteger(writer, json['depositReceiptVersion'], 'depositReceiptVersion')
    writeInteger(writer, json['depositNonce'], 'depositNonce')
  }
  writeLogs(writer, json['logs'])
  writeBytes(writer, json['logsBloom'], 'logsBloom', 256)
  writeInteger(writer, json['cumulativeGasUsed'], 'cumulativeGasUsed')
  writeOutcome(writer, json)
  writer.closeList(mark)
  if (type === 0) return
  writer.byte(type)
  writer.closeString(mark)
}

/** `root` (32 bytes) before Byzantium, `status` since. Some nodes return both, or an empty `root`. */
function writeOutcome(writer: RlpWriter, json: JsonRecord): void {
  const { root, status } = json
  if (isPresent(root) && root !== '0x') return writer.string(bytesOf(root, 'root', 32))
  if (status === '0x1') return writer.byte(0x01)
  if (status === '0x0') return writer.byte(0x80)
  throw new Malformed('status of 0x0 or 0x1, or a root of 32 bytes')
}

function writeLogs(writer: RlpWriter, json: unknown): void {
  writeList(writer, json, { name: 'logs', countMax: itemsMax }, (log) =>
    writeLog(writer, recordOf(log, 'log')),
  )
}

function writeLog(writer: RlpWriter, json: JsonRecord): void {
  const mark = writer.mark
  writeBytes(writer, json['data'], 'log data')
  writeList(writer, json['topics'], { name: 'topics', countMax: topicsMax }, (topic) =>
    writeBytes(writer, topic, 'topic', 32),
  )
  writeBytes(writer, json['address'], 'log address', 20)
  writer.closeList(mark)
}
