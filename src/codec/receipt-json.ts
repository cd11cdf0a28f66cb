// A block's receipts as RLP out of what eth_getBlockReceipts gives. Only what the receipts root commits to is
// read; sums, indexes and addresses are derived from it later (verification 1.7).
import {
  arrayOf,
  bytesOf,
  isGiven,
  type JsonRecord,
  recordOf,
  typeOf,
  writeBytes,
  writeInteger,
} from './json-fields.ts'
import { entriesMax } from './list.ts'
import { Malformed } from './malformed.ts'
import { itemsMax } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'
import { UnsupportedTransaction } from './transaction.ts'

const topicsMax = 4
/** OP stack; its receipts hold a nonce and a version since Canyon. */
const depositType = 0x7e

/**
 * `json`: receipts in order of their transactions. Returns one RLP list in the form of codec/list. Throws
 * `Malformed`, and `UnsupportedTransaction` on a type whose receipts are not known.
 */
export function encodeReceiptsJson(json: unknown): Uint8Array {
  const receipts = arrayOf(json, 'receipts', entriesMax)
  const writer = new RlpWriter()
  for (let index = receipts.length - 1; index >= 0; index -= 1) {
    writeReceipt(writer, recordOf(receipts[index], 'receipt'))
  }
  writer.closeList(0)
  return writer.take()
}

function writeReceipt(writer: RlpWriter, json: JsonRecord): void {
  const type = typeOf(json['type'])
  if (type > 4 && type !== depositType) throw new UnsupportedTransaction(type)
  const mark = writer.mark
  if (type === depositType && isGiven(json['depositReceiptVersion'])) {
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

/** `root` (32 bytes) before Byzantium, `status` since. Some nodes answer both, or an empty `root`. */
function writeOutcome(writer: RlpWriter, json: JsonRecord): void {
  const { root, status } = json
  if (isGiven(root) && root !== '0x') return writer.string(bytesOf(root, 'root', 32))
  if (status === '0x1') return writer.byte(0x01)
  if (status === '0x0') return writer.byte(0x80)
  throw new Malformed('status of 0x0 or 0x1, or a root of 32 bytes')
}

function writeLogs(writer: RlpWriter, json: unknown): void {
  const logs = arrayOf(json, 'logs', itemsMax)
  const mark = writer.mark
  for (let index = logs.length - 1; index >= 0; index -= 1) {
    writeLog(writer, recordOf(logs[index], 'log'))
  }
  writer.closeList(mark)
}

function writeLog(writer: RlpWriter, json: JsonRecord): void {
  const mark = writer.mark
  writeBytes(writer, json['data'], 'log data')
  const afterTopics = writer.mark
  for (const topic of arrayOf(json['topics'], 'topics', topicsMax).toReversed()) {
    writeBytes(writer, topic, 'topic', 32)
  }
  writer.closeList(afterTopics)
  writeBytes(writer, json['address'], 'log address', 20)
  writer.closeList(mark)
}
