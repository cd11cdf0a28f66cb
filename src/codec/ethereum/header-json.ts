// Encodes a header as RLP from the JSON of eth_getBlockBy…. Optional fields are written if present, without a fork
// table: the hash shows if the bytes are the header.
import { isPresent, type JsonRecord, recordOf, writeBytes, writeInteger } from './json-fields.ts'
import { Malformed } from './rlp.ts'
import { RlpWriter } from './rlp-writer.ts'

/** A number: bytes of exactly that length. */
type Form = number | 'data' | 'integer'

/** In header order. Fields from `firstOptional` on may be absent on a network. */
const fields: readonly (readonly [name: string, form: Form])[] = [
  ['parentHash', 32],
  ['sha3Uncles', 32],
  ['miner', 20],
  ['stateRoot', 32],
  ['transactionsRoot', 32],
  ['receiptsRoot', 32],
  ['logsBloom', 256],
  ['difficulty', 'integer'],
  ['number', 'integer'],
  ['gasLimit', 'integer'],
  ['gasUsed', 'integer'],
  ['timestamp', 'integer'],
  ['extraData', 'data'],
  ['mixHash', 32],
  ['nonce', 8],
  ['baseFeePerGas', 'integer'],
  ['withdrawalsRoot', 32],
  ['blobGasUsed', 'integer'],
  ['excessBlobGas', 'integer'],
  ['parentBeaconBlockRoot', 32],
  ['requestsHash', 32],
  ['blockAccessListHash', 32],
  ['slotNumber', 'integer'],
]
const firstOptional = 15

/** A block has at most 2 uncles; old blocks of some networks have more. */
const unclesMax = 16

/**
 * `json`: a block or an uncle, with or without its lists. `hash`, `size`, `totalDifficulty` and other members are ignored.
 * Throws `Malformed`, also if an optional field is present and an earlier one is not.
 */
export function encodeHeaderJson(json: unknown): Uint8Array {
  const writer = new RlpWriter()
  writeHeader(writer, recordOf(json, 'block'))
  return writer.finish()
}

/** The RLP list of uncles, each in the form of eth_getUncleBy…, in order. Throws `Malformed`. */
export function encodeUnclesJson(uncles: readonly unknown[]): Uint8Array {
  if (uncles.length > unclesMax) throw new Malformed(`at most ${unclesMax} uncles`)
  const writer = new RlpWriter()
  for (const uncle of uncles.toReversed()) writeHeader(writer, recordOf(uncle, 'uncle'))
  writer.closeList(0)
  return writer.finish()
}

function writeHeader(writer: RlpWriter, json: JsonRecord): void {
  const mark = writer.mark
  let isLaterThere = false
  for (let index = fields.length - 1; index >= 0; index -= 1) {
    const [name, form] = fields[index] as (typeof fields)[number]
    const value = json[name]
    if (index >= firstOptional && !isPresent(value)) {
      if (isLaterThere) throw new Malformed(`header field ${name} before a later one`)
      continue
    }
    isLaterThere = true
    if (form === 'integer') writeInteger(writer, value, name)
    else writeBytes(writer, value, name, form === 'data' ? undefined : form)
  }
  writer.closeList(mark)
}
