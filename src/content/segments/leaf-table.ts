// Leaf tables: log records that list the leaves of one slot of an extent, so that the index can be rebuilt from the
// files. A running server never reads the index from them.
import { crc32 } from 'node:zlib'
import { dagPbLeaf, verbatim, type BlockForm } from '../../tables/blocks.ts'
import type { LogRecord } from './log-writer.ts'

/** Equal leaves that follow each other from `at` of `file` on; the last may be shorter. */
export type LeafTable = {
  readonly file: number
  readonly at: number
  readonly form: BlockForm
  /** Of each leaf but the last, and of the last. */
  readonly leafBytes: number
  readonly lastBytes: number
  /** sha2-256, 32 bytes each. */
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

/** Null when it is not what was written. */
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
