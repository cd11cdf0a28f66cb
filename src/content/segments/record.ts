// A record of a log file: a head of 16 bytes, the key, the payload. The head contains their lengths and a crc32 of
// itself and the key. The payload of an object is verified by its hash, that of a leaf table by its own crc.
import { crc32 } from 'node:zlib'

/** `object`: a block, its key the multihash. `leaves`: a table of leaves in an extent, its key the crc32 of the payload. */
export type RecordKind = 'object' | 'leaves'

export type RecordHead = {
  readonly kind: RecordKind
  readonly keyBytes: number
  readonly payloadBytes: number
}

export const headBytes = 16
/** The last of them. */
const crcBytes = 4
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
  const keyAt = at + headBytes
  into.set(key, keyAt)
  // The checksummed bytes must be contiguous: first build them behind their final place, over the place of the crc itself.
  putHead(into, at + crcBytes, kind, key.length, payloadBytes)
  const crc = crc32(into.subarray(at + crcBytes, keyAt + key.length))
  putHead(into, at, kind, key.length, payloadBytes)
  putNumber(into, keyAt - crcBytes, crc)
  return keyAt + key.length
}

/** All of the head but its crc. By hand: a view of it costs more than the bytes. */
function putHead(
  into: Uint8Array,
  at: number,
  kind: RecordKind,
  keyBytes: number,
  payloadBytes: number,
): void {
  putNumber(into, at, magic)
  into[at + 4] = version
  into[at + 5] = kinds.indexOf(kind)
  into[at + 6] = keyBytes >>> 8
  into[at + 7] = keyBytes
  putNumber(into, at + 8, payloadBytes)
}

function putNumber(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24
  into[at + 1] = value >>> 16
  into[at + 2] = value >>> 8
  into[at + 3] = value
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
