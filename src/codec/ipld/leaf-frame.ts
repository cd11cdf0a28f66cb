// Framing of file bytes in a dag-pb leaf without metadata (UnixFS type File): its block is
// leafPrefix(n) + data + leafSuffix(n) for n bytes of data.
import { createHash } from 'node:crypto'
import { digest } from '../hash/digest.ts'
import { encodeVarint } from './protobuf.ts'

/** Bytes before the data: the head of field 1 of dag-pb, and in it the UnixFS type and the head of field 2. */
export function leafPrefix(dataBytes: number): Uint8Array {
  if (dataBytes === 0) return Uint8Array.of(0x0a, 0x04, 0x08, 0x02, 0x18, 0x00)
  const length = encodeVarint(dataBytes)
  const message = encodeVarint(4 + 2 * length.length + dataBytes)
  // Built without intermediate arrays, because it is needed for each leaf that is read.
  const prefix = new Uint8Array(4 + message.length + length.length)
  prefix[0] = 0x0a
  prefix.set(message, 1)
  prefix[1 + message.length] = 0x08
  prefix[2 + message.length] = 0x02
  prefix[3 + message.length] = 0x12
  prefix.set(length, 4 + message.length)
  return prefix
}

/** Bytes after the data: the UnixFS filesize. Empty for a leaf without data. */
export function leafSuffix(dataBytes: number): Uint8Array {
  if (dataBytes === 0) return new Uint8Array(0)
  const length = encodeVarint(dataBytes)
  const suffix = new Uint8Array(1 + length.length)
  suffix[0] = 0x18
  suffix.set(length, 1)
  return suffix
}

/** Size of the whole block. */
export function leafBlockBytes(dataBytes: number): number {
  return leafPrefix(dataBytes).length + dataBytes + leafSuffix(dataBytes).length
}

/** sha2-256 of `data`, or with `leaf` of the whole block with these file bytes. */
export function hashPiece(data: Uint8Array, leaf: boolean): Uint8Array {
  if (!leaf) return digest('sha256', data)
  return createHash('sha256')
    .update(leafPrefix(data.length))
    .update(data)
    .update(leafSuffix(data.length))
    .digest()
}
