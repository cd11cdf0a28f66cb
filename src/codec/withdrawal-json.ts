// A block's withdrawals (EIP-4895) as RLP out of the JSON of the block: [index, validatorIndex, address, amount].
import { arrayOf, recordOf, writeBytes, writeInteger } from './json-fields.ts'
import { entriesMax } from './list.ts'
import { RlpWriter } from './rlp-writer.ts'

/** `json`: the block's `withdrawals`, in order. Returns the list as the block holds it. Throws `Malformed`. */
export function encodeWithdrawalsJson(json: unknown): Uint8Array {
  const withdrawals = arrayOf(json, 'withdrawals', entriesMax)
  const writer = new RlpWriter()
  for (let index = withdrawals.length - 1; index >= 0; index -= 1) {
    const entry = recordOf(withdrawals[index], 'withdrawal')
    const mark = writer.mark
    writeInteger(writer, entry['amount'], 'amount')
    writeBytes(writer, entry['address'], 'withdrawal address', 20)
    writeInteger(writer, entry['validatorIndex'], 'validatorIndex')
    writeInteger(writer, entry['index'], 'index')
    writer.closeList(mark)
  }
  writer.closeList(0)
  return writer.take()
}
