// Reads fields of the JSON objects that nodes return, strictly, and writes them directly as RLP. An integer may have leading
// zeros, because clients send them; data may not, because its length is significant.
// Tested by src/codec/ethereum/header-json.test.ts, src/codec/ethereum/transaction-json.test.ts
import { decodeDigits } from '../../base/hex.ts'
import { Malformed } from './rlp.ts'
import type { RlpWriter } from './rlp-writer.ts'

/** A JSON object with unknown members. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Digits of 32 bytes. */
const integerDigitsMax = 64
/** Maximum number of leading zeros: some nodes pad to a whole word, some to a byte. */
const zerosMax = 128

export function recordOf(value: unknown, name: string): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Malformed(`${name} as an object`)
  }
  return value as JsonRecord
}

export function arrayOf(value: unknown, name: string, countMax: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Malformed(`${name} as an array`)
  if (value.length > countMax) {
    throw new Malformed(`${name} of at most ${countMax} entries, got ${value.length}`)
  }
  return value
}

/** False for null and undefined: nodes use both for an absent member. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** `0x` and two digits per byte; with `length`, exactly that many bytes. */
export function bytesOf(value: unknown, name: string, length?: number): Uint8Array {
  const text = hexOf(value, name)
  const bytes = text.length % 2 === 0 ? decodeDigits(text, 2) : null
  if (bytes === null) throw new Malformed(`${name} as 0x and two digits a byte`)
  if (length !== undefined && bytes.length !== length) {
    throw new Malformed(`${name} of ${length} bytes, got ${bytes.length}`)
  }
  return bytes
}

/** Writes data before everything written so far. */
export function writeBytes(writer: RlpWriter, value: unknown, name: string, length?: number): void {
  writer.string(bytesOf(value, name, length))
}

/** Writes an integer of at most 32 bytes without leading zeros. */
export function writeInteger(writer: RlpWriter, value: unknown, name: string): void {
  const text = hexOf(value, name)
  let start = 2
  while (start < text.length && text.charCodeAt(start) === 0x30) start += 1
  const fits = text.length > 2 && text.length - start <= integerDigitsMax && start - 2 <= zerosMax
  const bytes = fits ? decodeDigits(text, start) : null
  if (bytes === null) throw new Malformed(`${name} as 0x and 1 to ${integerDigitsMax} digits`)
  writer.string(bytes)
}

/**
 * Writes `json`, an array of at most `countMax` values, as one list. `write` is called for each value, the last first, because
 * the writer works from the end.
 */
export function writeList(
  writer: RlpWriter,
  json: unknown,
  { name, countMax }: { readonly name: string; readonly countMax: number },
  write: (value: unknown) => void,
): void {
  const values = arrayOf(json, name, countMax)
  const mark = writer.mark
  for (let index = values.length - 1; index >= 0; index -= 1) write(values[index])
  writer.closeList(mark)
}

/** Type of a transaction or receipt (EIP-2718). Absent means 0: nodes from before types omit it. */
export function typeOf(value: unknown): number {
  if (!isPresent(value)) return 0
  const text = hexOf(value, 'type')
  if (!/^0x[0-9a-fA-F]{1,2}$/.test(text)) throw new Malformed('type as 0x and 1 or 2 digits')
  return Number(text)
}

function hexOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new Malformed(`${name} as hex`)
  return value
}
