// Fields of the JSON objects that nodes return, read strictly and written directly as RLP. An integer may be padded with
// zeros, because clients do that; data may not: its length is significant.
// Tested by src/codec/ethereum/header-json.test.ts, src/codec/ethereum/transaction-json.test.ts
import { decodeDigits } from '../../base/hex.ts'
import { Malformed } from './rlp.ts'
import type { RlpWriter } from './rlp-writer.ts'

/** A JSON object with unknown members. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** 32 bytes. */
const integerDigitsMax = 64
/** In front of them; some nodes write a whole word, some another byte. */
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

/** False for null and for a member that is not there: nodes write absence both ways. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** `0x` + two digits a byte; `length` given: exactly so many bytes. */
export function bytesOf(value: unknown, name: string, length?: number): Uint8Array {
  const text = hexOf(value, name)
  const bytes = text.length % 2 === 0 ? decodeDigits(text, 2) : null
  if (bytes === null) throw new Malformed(`${name} as 0x and two digits a byte`)
  if (length !== undefined && bytes.length !== length) {
    throw new Malformed(`${name} of ${length} bytes, got ${bytes.length}`)
  }
  return bytes
}

/** Puts data before all that was written. */
export function writeBytes(writer: RlpWriter, value: unknown, name: string, length?: number): void {
  writer.string(bytesOf(value, name, length))
}

/** Puts an integer of at most 32 bytes, its zeros trimmed. */
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
 * Puts `json`, an array of at most `countMax` values, as one list. `write` puts each; the last comes first, as
 * everything a writer is given.
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

/** A type of transaction or receipt (EIP-2718); not given is 0, as nodes older than types answer. */
export function typeOf(value: unknown): number {
  if (!isGiven(value)) return 0
  const text = hexOf(value, 'type')
  if (!/^0x[0-9a-fA-F]{1,2}$/.test(text)) throw new Malformed('type as 0x and 1 or 2 digits')
  return Number(text)
}

function hexOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new Malformed(`${name} as hex`)
  return value
}
