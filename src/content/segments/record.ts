// Records of a log file: a head of 16 bytes, the key, the payload. The head contains their lengths and checksums. A leaf
// table is a record that lists the leaves of one slot of an extent, so that the index can be rebuilt from the log.
// Tested by src/content/segments/record.test.ts
import { crc32 } from 'node:zlib'
import { type BlockForm, dagPbLeaf, verbatim } from '../../tables/blocks.ts'

/** `object`: a block, its key the multihash. `leaves`: a table of leaves in an extent, its key the crc32 of the payload. */
export type RecordKind = 'object' | 'leaves'

/** A record before it is written. */
export type LogRecord = {
  readonly kind: RecordKind
  readonly key: Uint8Array
  readonly payload: Uint8Array
}

export type RecordHead = {
  readonly kind: RecordKind
  readonly keyBytes: number
  readonly payloadBytes: number
}

export const headBytes = 16
/** Size of the checksum, which is the last field. */
const crcBytes = 4
const magic = 0x43524e31
const version = 1
const kinds: readonly RecordKind[] = ['object', 'leaves']
/** Longer than any accepted multihash. */
const keyBytesMax = 256

export function recordBytes(key: Uint8Array, payloadBytes: number): number {
  return headBytes + key.length + payloadBytes
}

/** Writes head and key into `into` at `at`; returns the offset for the payload. */
export function writeHead(
  into: Uint8Array,
  at: number,
  kind: RecordKind,
  key: Uint8Array,
  payloadBytes: number,
): number {
  const keyAt = at + headBytes
  into.set(key, keyAt)
  // The checksummed bytes must be contiguous, so they are first written one checksum further, over the place of the checksum.
  putHead(into, at + crcBytes, kind, key.length, payloadBytes)
  const crc = crc32(into.subarray(at + crcBytes, keyAt + key.length))
  putHead(into, at, kind, key.length, payloadBytes)
  putNumber(into, keyAt - crcBytes, crc)
  return keyAt + key.length
}

/** All of the head except its checksum. Written byte by byte, because a DataView costs more. */
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

/** The head at the start of `bytes`, its key included; null if there is none or it is torn. */
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

/** Maximum number of bytes that `readHead` needs. */
export const headBytesMax = headBytes + keyBytesMax

function crcOf(head: Uint8Array, key: Uint8Array): number {
  return crc32(key, crc32(head.subarray(0, 12)))
}

/** Equal leaves, one after another from `at` of `file` on; the last may be shorter. */
export type LeafTable = {
  readonly file: number
  readonly at: number
  readonly form: BlockForm
  /** Size of each leaf but the last, and of the last. */
  readonly leafBytes: number
  readonly lastBytes: number
  /** sha2-256 digests, 32 bytes each. */
  readonly digests: readonly Uint8Array[]
}

const fixedBytes = 29
const digestBytes = 32

export function leafTableRecord(table: LeafTable): LogRecord {
  const payload = new Uint8Array(fixedBytes + table.digests.length * digestBytes)
  const view = new DataView(payload.buffer)
  view.setFloat64(0, table.file)
  view.setFloat64(8, table.at)
  view.setUint8(16, table.form)
  view.setUint32(17, table.leafBytes)
  view.setUint32(21, table.lastBytes)
  view.setUint32(25, table.digests.length)
  for (const [index, digest] of table.digests.entries()) {
    payload.set(digest, fixedBytes + index * digestBytes)
  }
  return { kind: 'leaves', key: checksum(payload), payload }
}

/** Null if it is corrupt. */
export function readLeafTable(key: Uint8Array, payload: Uint8Array): LeafTable | null {
  if (payload.length < fixedBytes || Buffer.compare(checksum(payload), key) !== 0) return null
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length)
  const count = view.getUint32(25)
  if (payload.length !== fixedBytes + count * digestBytes) return null
  return {
    file: view.getFloat64(0),
    at: view.getFloat64(8),
    form: view.getUint8(16) === dagPbLeaf ? dagPbLeaf : verbatim,
    leafBytes: view.getUint32(17),
    lastBytes: view.getUint32(21),
    digests: Array.from({ length: count }, (_, index) => {
      const at = fixedBytes + index * digestBytes
      return payload.subarray(at, at + digestBytes)
    }),
  }
}

function checksum(payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, crc32(payload))
  return bytes
}
