// Encodes a block's withdrawals (EIP-4895) as RLP from the block's JSON: [index, validatorIndex, address, amount].
import { recordOf, writeBytes, writeInteger, writeList } from './json-fields.ts'
import { entriesMax } from './list.ts'
import { RlpWriter } from './rlp-writer.ts'

/** `json`: the block's `withdrawals`, in order. Returns the list as the block contains it. Throws `Malformed`. */
export function encodeWithdrawalsJson(json: unknown): Uint8Array {
  const writer = new RlpWriter()
  writeList(writer, json, { name: 'withdrawals', countMax: entriesMax }, (withdrawal) => {
    const entry = recordOf(withdrawal, 'withdrawal')
    const mark = writer.mark
    writeInteger(writer, entry['amount'], 'amount')
    writeBytes(writer, entry['address'], 'withdrawal address', 20)
    writeInteger(writer, entry['validatorIndex'], 'validatorIndex')
    writeInteger(writer, entry['index'], 'index')
    writer.closeList(mark)
  })
  return writer.finish()
}
