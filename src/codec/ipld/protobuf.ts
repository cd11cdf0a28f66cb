// The subset of protobuf that dag-pb and UnixFS use: reads fields with bounds checks, writes them in the caller's order.
// The caller skips unknown fields.
// Tested by src/codec/ipld/dag-block.test.ts
import { Fault } from '../../base/fault.ts'

/** `value`: varint (wire 0) or fixed32 (wire 5) or fixed64 (wire 1); `bytes`: a view for wire 2, else empty. */
export type ProtobufField = {
  readonly number: number
  readonly wire: 0 | 1 | 2 | 5
  readonly value: bigint
  readonly bytes: Uint8Array
}

const none = new Uint8Array(0)
const varintBytesMax = 10

/** The fields of one message in their order. Throws `command_failed` for bytes that are not protobuf. */
export function decodeFields(bytes: Uint8Array): ProtobufField[] {
  const fields: ProtobufField[] = []
  let at = 0
  while (at < bytes.length) {
    // Nearly all tags have one byte and need no bigint; a node of a file has some thousand tags.
    const short = bytes[at] as number
    const tag = short < 0x80 ? null : decodeVarint(bytes, at)
    const number = tag === null ? short >> 3 : Number(tag.value >> 3n)
    const wire = tag === null ? short & 7 : Number(tag.value & 7n)
    at = tag === null ? at + 1 : tag.end
    if (number < 1 || number > 0x1fffffff) throw malformed(`field number ${number}`)
    if (wire === 0) {
      const { value, end } = decodeVarint(bytes, at)
      fields.push({ number, wire, value, bytes: none })
      at = end
    } else if (wire === 1 || wire === 5) {
      const length = wire === 1 ? 8 : 4
      const value = littleEndian(part(bytes, at, length))
      fields.push({ number, wire, value, bytes: none })
      at += length
    } else if (wire === 2) {
      const few = bytes[at] ?? 0x80
      const length = few < 0x80 ? null : decodeVarint(bytes, at)
      const from = length === null ? at + 1 : length.end
      const view = part(bytes, from, length === null ? few : length.value)
      fields.push({ number, wire, value: 0n, bytes: view })
      at = from + view.length
    } else {
      throw malformed(`wire type ${wire}`)
    }
  }
  return fields
}

/** An unsigned varint of at most 64 bits that starts at `at`. */
export function decodeVarint(bytes: Uint8Array, at: number): { value: bigint; end: number } {
  let low = 0
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) throw malformed('varint cut short')
    low |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return { value: BigInt(low), end: at + index + 1 }
  }
  let value = BigInt(low)
  for (let index = 4; index < varintBytesMax; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) throw malformed('varint cut short')
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + index + 1 }
  }
  throw malformed('varint longer than 10 bytes')
}

/** Encodes `value` as an unsigned varint; negative values as 64-bit two's complement, as in int64 fields. */
export function encodeVarint(value: bigint | number): Uint8Array {
  const out: number[] = []
  // Lengths and sizes are small and need no bigint.
  if (value >= 0 && value <= 0x7fff_ffff) {
    let small = Number(value)
    for (; small > 0x7f; small >>= 7) out.push((small & 0x7f) | 0x80)
    out.push(small)
    return Uint8Array.from(out)
  }
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 0x7fn) {
    out.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  out.push(Number(rest))
  return Uint8Array.from(out)
}

export function varintField(number: number, value: bigint | number): Uint8Array[] {
  return [Uint8Array.of(number << 3), encodeVarint(value)]
}

export function bytesField(number: number, bytes: Uint8Array): Uint8Array[] {
  return [Uint8Array.of((number << 3) | 2), encodeVarint(bytes.length), bytes]
}

export function fixed32Field(number: number, value: number): Uint8Array[] {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return [Uint8Array.of((number << 3) | 5), bytes]
}

/** Concatenates the parts in a new array. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const each of parts) length += each.length
  const out = new Uint8Array(length)
  let at = 0
  for (const each of parts) {
    out.set(each, at)
    at += each.length
  }
  return out
}

function part(bytes: Uint8Array, at: number, length: bigint | number): Uint8Array {
  if (length > bytes.length - at) throw malformed('field runs past the end')
  return bytes.subarray(at, at + Number(length))
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let index = bytes.length - 1; index >= 0; index -= 1) {
    value = (value << 8n) | BigInt(bytes[index] ?? 0)
  }
  return value
}

function malformed(what: string): Fault {
  return new Fault('command_failed', { detail: `malformed protobuf: ${what}` })
}
