// RLP, strict (Yellow Paper app. B): one value has exactly one encoding, so a decoded value encodes to the same bytes. Decoded
// strings are views of the input, not copies. Fields are read as typed values. All readers throw `Malformed`, the only error of
// the codec, with the field's name.
// Tested by src/codec/ethereum/rlp.test.ts
import { RlpWriter } from './rlp-writer.ts'

/**
 * `message` names the expected and the actual form. Bytes that cause this error are never stored;
 * `verifyKeccakKinds` converts it to Fault `unverified`.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'

  constructor(expected: string, options: { readonly cause?: unknown } = {}) {
    super(`malformed: expected ${expected}`, options)
  }
}

export type RlpItem = Uint8Array | readonly RlpItem[]

/** The empty list. Do not modify. */
export const emptyRlpList = Uint8Array.of(0xc0)

/** Maximum nesting of lists, including the outermost; a decoded state or block needs 6. */
const nestingMax = 16

/** Maximum items in one decode or split: a decoded item uses far more memory than its one byte of input. */
export const itemsMax = 1_000_000

type Head = { readonly isList: boolean; readonly start: number; readonly end: number }

/** Decodes all of `bytes` as one item. Throws `Malformed`. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = decodeRlpItem(bytes, 0)
  if (end !== bytes.length)
    throw new Malformed(`nothing after the item, got ${bytes.length - end} bytes`)
  return item
}

/** Decodes the item at `at` in a sequence of items. Throws `Malformed`. */
export function decodeRlpItem(bytes: Uint8Array, at: number): { item: RlpItem; end: number } {
  const head = readHead(bytes, at, bytes.length)
  return { item: readItem(bytes, head, 1, { left: itemsMax }), end: head.end }
}

/** The encoded items of the list that fills `bytes`, as views. The content of the items is not validated. */
export function splitList(bytes: Uint8Array, countMax = itemsMax): Uint8Array[] {
  const head = readHead(bytes, 0, bytes.length)
  if (!head.isList) throw new Malformed('a list, got a string')
  if (head.end !== bytes.length) throw new Malformed('nothing after the list')
  const items: Uint8Array[] = []
  for (let at = head.start; at < head.end;) {
    if (items.length === countMax) throw new Malformed(`a list of at most ${countMax} items`)
    const { end } = readHead(bytes, at, head.end)
    items.push(bytes.subarray(at, end))
    at = end
  }
  return items
}

/** End of the item that starts at `at`. Its content is not validated. Throws `Malformed`. */
export function endOfItem(bytes: Uint8Array, at: number): number {
  return readHead(bytes, at, bytes.length).end
}

/** Start of the first item of the list that fills `bytes`. Throws `Malformed`. */
export function listStart(bytes: Uint8Array): number {
  const head = readHead(bytes, 0, bytes.length)
  if (!head.isList || head.end !== bytes.length) throw new Malformed('a list and nothing after it')
  return head.start
}

// One writer for all encodings: the result is copied before any other code runs.
const writer = new RlpWriter()

/** Returns a new array. */
export function encodeRlp(item: RlpItem): Uint8Array {
  writer.clear()
  writeItem(item)
  return writer.finish()
}

/** Big-endian without leading zeros; zero has no bytes. Throws RangeError for a negative value. */
export function encodeInteger(value: bigint | number): Uint8Array {
  if (value < 0) throw new RangeError(`not a natural number: ${value}`)
  if (value === 0 || value === 0n) return new Uint8Array(0)
  const digits = value.toString(16)
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

/** The reverse of `encodeInteger`. Throws `Malformed` for a leading zero or more than `bytesMax` bytes. */
export function decodeInteger(bytes: Uint8Array, bytesMax = 32): bigint {
  if (bytes.length > bytesMax) {
    throw new Malformed(`an integer of at most ${bytesMax} bytes, got ${bytes.length}`)
  }
  if (bytes.length === 0) return 0n
  if (bytes[0] === 0) throw new Malformed('an integer without leading zeros')
  if (bytes.length <= 6) return BigInt(readUint(bytes, 0, bytes.length))
  return BigInt('0x' + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex'))
}

function writeItem(item: RlpItem): void {
  if (item instanceof Uint8Array) return writer.string(item)
  const mark = writer.mark
  for (let at = item.length - 1; at >= 0; at -= 1) writeItem(item[at] as RlpItem)
  writer.closeList(mark)
}

function readItem(bytes: Uint8Array, head: Head, depth: number, budget: { left: number }): RlpItem {
  budget.left -= 1
  if (budget.left < 0) throw new Malformed(`at most ${itemsMax} items`)
  if (!head.isList) return bytes.subarray(head.start, head.end)
  if (depth > nestingMax) throw new Malformed(`lists nested at most ${nestingMax} deep`)
  const items: RlpItem[] = []
  for (let at = head.start; at < head.end;) {
    const inner = readHead(bytes, at, head.end)
    items.push(readItem(bytes, inner, depth + 1, budget))
    at = inner.end
  }
  return items
}

/** `limit`: the end of the enclosing list, or of the input. */
function readHead(bytes: Uint8Array, at: number, limit: number): Head {
  const first = at >= 0 && at < limit ? bytes[at] : undefined
  if (first === undefined) throw new Malformed('an item, got the end of the input')
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const isList = first >= 0xc0
  const code = first - (isList ? 0xc0 : 0x80)
  const start = code < 56 ? at + 1 : at + 1 + (code - 55)
  const length = code < 56 ? code : readLength(bytes, at + 1, Math.min(start, limit), code - 55)
  if (length > limit - start) {
    throw new Malformed(`${length} bytes as declared, got ${Math.max(0, limit - start)}`)
  }
  if (!isList && length === 1 && (bytes[start] ?? 0) < 0x80) {
    throw new Malformed('a byte below 0x80 written as itself')
  }
  return { isList, start, end: start + length }
}

function readLength(bytes: Uint8Array, start: number, end: number, width: number): number {
  if (end - start < width) throw new Malformed(`a length of ${width} bytes, got ${end - start}`)
  if (width > 6) throw new Malformed(`a length of at most 6 bytes, got ${width}`)
  if (bytes[start] === 0) throw new Malformed('a length without leading zeros')
  const length = readUint(bytes, start, end)
  if (length < 56) throw new Malformed('the short form for a length below 56')
  return length
}

function readUint(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) value = value * 256 + (bytes[at] ?? 0)
  return value
}

/** A string; with `length`, of exactly that many bytes. */
export function bytesField(item: RlpItem | undefined, name: string, length?: number): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new Malformed(`${name} as a string`)
  if (length !== undefined && item.length !== length) {
    throw new Malformed(`${name} of ${length} bytes, got ${item.length}`)
  }
  return item
}

/** An integer without leading zeros, of at most `bytesMax` bytes. */
export function integerField(item: RlpItem | undefined, name: string, bytesMax: number): bigint {
  const bytes = bytesField(item, name)
  try {
    return decodeInteger(bytes, bytesMax)
  } catch (cause) {
    throw new Malformed(`${name} as an integer of at most ${bytesMax} bytes`, { cause })
  }
}

/** A list; with `count`, of exactly that many items. */
export function listField(
  item: RlpItem | undefined,
  name: string,
  count?: number,
): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new Malformed(`${name} as a list`)
  if (count !== undefined && item.length !== count) {
    throw new Malformed(`${name} of ${count} items, got ${item.length}`)
  }
  return item
}
