// A record of a log file: 16 bytes of head, its key, its payload. The head says how long they are and carries a
// crc32 of itself and the key; the payload of an object is proved by its hash, that of a leaf table by its own crc.
import { crc32 } from 'node:zlib'

/** `object`: a block, its key the multihash. `leaves`: a table of leaves in an extent, its key the crc32 of the payload. */
export type RecordKind = 'object' | 'leaves'

export type RecordHead = {
  readonly kind: RecordKind
  readonly keyBytes: number
  readonly payloadBytes: number
}

export const headBytes = 16
const magic = 0x43524e31
const version = 1
const kinds: readonly RecordKind[] = ['object', 'leaves']
/** More than any multihash that is taken. */
const keyBytesMax = 256

export function recordBytes(key: Uint8Array, payloadBytes: number): number {
  return headBytes + key.length + payloadBytes
}

/** Writes head and key into `into` at `at`; returns where the payload goes. */
export function writeHead(
  into: Uint8Array,
  at: number,
  kind: RecordKind,
  key: Uint8Array,
  payloadBytes: number,
): number {
  const view = new DataView(into.buffer, into.byteOffset + at, headBytes)
  view.setUint32(0, magic)
  view.setUint8(4, version)
  view.setUint8(5, kinds.indexOf(kind))
  view.setUint16(6, key.length)
  view.setUint32(8, payloadBytes)
  into.set(key, at + headBytes)
  view.setUint32(12, crcOf(into.subarray(at, at + headBytes), key))
  return at + headBytes + key.length
}

/** The head that starts at the beginning of `bytes`, its key included; null when there is none or it is torn. */
export function readHead(bytes: Uint8Array): RecordHead | null {
  if (bytes.length < headBytes) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, headBytes)
  const kind = kinds[view.getUint8(5)]
  const keyBytes = view.getUint16(6)
  if (view.getUint32(0) !== magic || view.getUint8(4) !== version || kind === undefined) return null
  if (keyBytes > keyBytesMax || bytes.length < headBytes + keyBytes) return null
  const key = bytes.subarray(headBytes, headBytes + keyBytes)
  if (view.getUint32(12) !== crcOf(bytes.subarray(0, headBytes), key)) return null
  return { kind, keyBytes, payloadBytes: view.getUint32(8) }
}

/** How many bytes `readHead` may need. */
export const headBytesMax = headBytes + keyBytesMax

function crcOf(head: Uint8Array, key: Uint8Array): number {
  return crc32(key, crc32(head.subarray(0, 12)))
}
