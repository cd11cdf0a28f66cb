// The RLP of a block header (Yellow Paper 4.4.3; order of the later fields: go-ethereum core/types/block.go).
// Fields are read and written if present, without a fork table, so a new network needs no schedule.
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

/** Byte fields are 32 bytes, except `miner` 20, `logsBloom` 256, `nonce` 8, `extraData` any length. */
export type Header = {
  readonly parentHash: Uint8Array
  readonly unclesHash: Uint8Array
  readonly miner: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  readonly mixHash: Uint8Array
  readonly nonce: Uint8Array
  /** London. Each field from here on requires all earlier ones. */
  readonly baseFeePerGas?: bigint
  /** Shanghai. */
  readonly withdrawalsRoot?: Uint8Array
  /** Cancun, with the two that follow. */
  readonly blobGasUsed?: bigint
  readonly excessBlobGas?: bigint
  readonly parentBeaconBlockRoot?: Uint8Array
  /** Prague. */
  readonly requestsHash?: Uint8Array
  /** EIP-7928. */
  readonly blockAccessListHash?: Uint8Array
  /** EIP-7843. */
  readonly slotNumber?: bigint
  /** Items after the known fields, preserved so that a header of a newer fork encodes to the same bytes. */
  readonly unknownFields?: readonly RlpItem[]
}

/**
 * Decodes a header of 15 or more fields. The block hash is keccak256 of `bytes`.
 * Byte fields are views. Throws `Malformed`.
 */
export function decodeHeader(bytes: Uint8Array): Header {
  return headerOf(decodeRlp(bytes))
}

/** Reads a header from a decoded item, as in a list of uncles. Throws `Malformed`. */
export function headerOf(item: RlpItem): Header {
  const items = listField(item, 'header')
  if (items.length < 15) throw new Malformed(`header of at least 15 items, got ${items.length}`)
  const data = (index: number, name: string, length = 32) => bytesField(items[index], name, length)
  const integer = (index: number, name: string, bytesMax = 8) =>
    integerField(items[index], name, bytesMax)
  const has = (index: number) => items.length > index
  return {
    parentHash: data(0, 'parentHash'),
    unclesHash: data(1, 'sha3Uncles'),
    miner: data(2, 'miner', 20),
    stateRoot: data(3, 'stateRoot'),
    transactionsRoot: data(4, 'transactionsRoot'),
    receiptsRoot: data(5, 'receiptsRoot'),
    logsBloom: data(6, 'logsBloom', 256),
    difficulty: integer(7, 'difficulty', 32),
    number: integer(8, 'number'),
    gasLimit: integer(9, 'gasLimit'),
    gasUsed: integer(10, 'gasUsed'),
    timestamp: integer(11, 'timestamp'),
    extraData: bytesField(items[12], 'extraData'),
    mixHash: data(13, 'mixHash'),
    nonce: data(14, 'nonce', 8),
    ...(has(15) && { baseFeePerGas: integer(15, 'baseFeePerGas', 32) }),
    ...(has(16) && { withdrawalsRoot: data(16, 'withdrawalsRoot') }),
    ...(has(17) && { blobGasUsed: integer(17, 'blobGasUsed') }),
    ...(has(18) && { excessBlobGas: integer(18, 'excessBlobGas') }),
    ...(has(19) && { parentBeaconBlockRoot: data(19, 'parentBeaconBlockRoot') }),
    ...(has(20) && { requestsHash: data(20, 'requestsHash') }),
    ...(has(21) && { blockAccessListHash: data(21, 'blockAccessListHash') }),
    ...(has(22) && { slotNumber: integer(22, 'slotNumber') }),
    ...(has(23) && { unknownFields: items.slice(23) }),
  }
}

/** Throws `Malformed` if an optional field is present and an earlier one is not. */
export function encodeHeader(header: Header): Uint8Array {
  const optional = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
    header.blockAccessListHash,
    header.slotNumber,
  ]
  const gap = optional.indexOf(undefined)
  const present = gap === -1 ? optional : optional.slice(0, gap)
  const unknown = header.unknownFields ?? []
  if (gap !== -1 && (unknown.length > 0 || optional.slice(gap).some((it) => it !== undefined))) {
    throw new Malformed(`header field ${15 + gap} before a later one`)
  }
  return encodeRlp([
    header.parentHash,
    header.unclesHash,
    header.miner,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    encodeInteger(header.difficulty),
    encodeInteger(header.number),
    encodeInteger(header.gasLimit),
    encodeInteger(header.gasUsed),
    encodeInteger(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
    ...present.map((it) => (typeof it === 'bigint' ? encodeInteger(it) : (it ?? []))),
    ...unknown,
  ])
}
