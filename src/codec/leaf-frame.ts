// What stands around the bytes of a file in a dag-pb leaf without metadata (UnixFS type File): its block is
// leafPrefix(n) + data + leafSuffix(n) for n bytes of data.
import { encodeVarint, joinBytes } from './protobuf.ts'

/** Bytes before the data: field 1 of dag-pb, and in it UnixFS type and the head of field 2. */
export function leafPrefix(dataBytes: number): Uint8Array {
  if (dataBytes === 0) return Uint8Array.of(0x0a, 0x04, 0x08, 0x02, 0x18, 0x00)
  const length = encodeVarint(dataBytes)
  const message = encodeVarint(4 + 2 * length.length + dataBytes)
  return joinBytes([Uint8Array.of(0x0a), message, Uint8Array.of(0x08, 0x02, 0x12), length])
}

/** Bytes after the data: UnixFS filesize. A leaf of no data is all prefix. */
export function leafSuffix(dataBytes: number): Uint8Array {
  if (dataBytes === 0) return new Uint8Array(0)
  return joinBytes([Uint8Array.of(0x18), encodeVarint(dataBytes)])
}

/** Size of the whole block. */
export function leafBlockBytes(dataBytes: number): number {
  return leafPrefix(dataBytes).length + dataBytes + leafSuffix(dataBytes).length
}
