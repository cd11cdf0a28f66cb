// The plain argument types: an index, bytes, a flag, a list of percentiles, a block count.
import { isRefused, readBytes, readQuantity } from './hex-text.ts'
import { jsonTypeName, quoteForMessage, refuseArgument, wrongType } from './refuse-argument.ts'

/** An index of at most 64 bits (hexutil.Uint): compare it as bigint, so that it cannot wrap. */
export function parseIndex(value: unknown, position: number): bigint {
  const read =
    typeof value === 'string' ? readQuantity(value, 64) : ({ refused: 'non-string' } as const)
  if (isRefused(read)) throw refuseArgument(position, wrongType(read.refused, 'hexutil.Uint'))
  return read
}

/** Bytes of any length (hexutil.Bytes). */
export function parseBytes(value: unknown, position: number): Uint8Array {
  const read = typeof value === 'string' ? readBytes(value) : ({ refused: 'non-string' } as const)
  if (isRefused(read)) throw refuseArgument(position, wrongType(read.refused, 'hexutil.Bytes'))
  return read
}

/** A JSON boolean; null is false, as in geth. */
export function parseFlag(value: unknown, position: number): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value
  throw refuseArgument(position, wrongType(jsonTypeName(value), 'bool'))
}

/** A JSON number that is a whole one of at most 2^53 (uint64 in geth). */
export function parseUint64(value: unknown, position: number): number {
  if (typeof value !== 'number') {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'uint64'))
  }
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw refuseArgument(position, wrongType(`number ${value}`, 'uint64'))
}

/** A JSON number that is a whole one (int in geth). */
export function parseInteger(value: unknown, position: number): number {
  if (typeof value !== 'number') {
    throw refuseArgument(position, wrongType(jsonTypeName(value), 'int'))
  }
  if (Number.isSafeInteger(value)) return value
  throw refuseArgument(position, wrongType(`number ${value}`, 'int'))
}

/** A JSON number, decimal text or `0x` text below 2^64 (math.HexOrDecimal64). */
export function parseCount(value: unknown, position: number): bigint {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const count = /^(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(text)
    ? BigInt(text.toLowerCase())
    : null
  if (count === null || count >= 2n ** 64n) {
    throw refuseArgument(position, `invalid hex or decimal integer ${quoteForMessage(text)}`)
  }
  return count
}

/** A list of JSON numbers. */
export function parseNumbers(value: unknown, position: number): readonly number[] {
  if (!Array.isArray(value)) {
    throw refuseArgument(position, wrongType(jsonTypeName(value), '[]float64'))
  }
  return value.map((item: unknown) => {
    if (typeof item === 'number') return item
    throw refuseArgument(position, wrongType(jsonTypeName(item), 'float64'))
  })
}
