// Rebuilds the block index from the segments: hashes every block that a log or a leaf table lists, and writes a row for each valid
// one. A known block retains its ID, because roots and pins refer to it.
import type { Clock } from '../../base/clock.ts'
import { leafBlockBytes } from '../../codec/ipld/leaf-frame.ts'
import { encodeMultihash, sha256Code } from '../../codec/ipld/multihash.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { FileOps } from '../file-ops.ts'
import type { Verify } from '../ref.ts'
import {
  dagPbLeaf,
  findPlace,
  insertBlocks,
  replacePlaces,
  verbatim,
  type BlockRow,
} from '../../tables/blocks.ts'
import { readBlock } from './find-blocks.ts'
import { type LeafTable, readLeafTable } from './record.ts'
import { createOpenFiles } from './open-files.ts'
import { readRecords, type StoredRecord } from './read-records.ts'
import { openSegmentFolder } from './segment-folder.ts'

export type Rebuilt = {
  /** Valid blocks in the segments; of them, those that had no row, and those whose row was wrong. */
  readonly blocks: number
  readonly added: number
  readonly mended: number
  /** Copies that failed verification. Copies in segments that were freed since do not count, because no row refers to them. */
  readonly bad: number
}

const stepRows = 1000
const filesMax = 64
/** Number of reads of a copy that fails verification. */
const readsMax = 3

/** Only while no server runs. `onBytes`: called with the number of log bytes read. */
export async function rebuildIndex(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly ops: FileOps
  readonly path: string
  readonly verify: Verify
  readonly clock: Clock
  readonly onBytes?: (done: number, total: number) => void
}): Promise<Rebuilt> {
  const { db, writer, ops, path, verify, clock, onBytes = () => {} } = parts
  const folder = openSegmentFolder({ ops, path, bytesMax: null, otherBytes: () => 0 })
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax })
  const present = new Set(folder.files().map(({ id }) => id))
  const logs = folder.files().filter(({ kind }) => kind === 'log')
  const total = logs.reduce((sum, { bytes }) => sum + bytes, 0)
  const counts = { blocks: 0, added: 0, mended: 0, bad: 0 }
  let queued: BlockRow[] = []
  let done = 0

  const proves = (row: BlockRow): boolean => {
    for (let read = 0; read < readsMax; read += 1) {
      try {
        verify({ kind: 'dag-block', hash: row.hash }, readBlock(files, row))
        return true
      } catch {
        // Read again: the disk may still have the right bytes.
      }
    }
    return false
  }

  /** Rows of a leaf table; none if it is torn in every read. */
  async function leafRows(file: number, record: StoredRecord): Promise<readonly BlockRow[]> {
    const { key, payload, at } = record
    const bytes = new Uint8Array(payload)
    for (let read = 1; ; read += 1) {
      const table = readLeafTable(key, bytes)
      if (table !== null || read === readsMax) return table === null ? [] : rowsOf(table)
      await files.read(file, bytes, at)
    }
  }

  async function addRow(row: BlockRow): Promise<void> {
    if (!proves(row)) {
      const isMissed = present.has(row.file) || findPlace(db, row.hash)?.file === row.file
      if (isMissed) counts.bad += 1
      return
    }
    counts.blocks += 1
    queued.push(row)
    if (queued.length >= stepRows) await write()
  }

  async function write(): Promise<void> {
    const rows = new Map(queued.map((row) => [Buffer.from(row.hash).toString('latin1'), row]))
    queued = []
    const fresh: BlockRow[] = []
    const wrong: BlockRow[] = []
    for (const row of rows.values()) {
      const existing = findPlace(db, row.hash)
      if (existing === null) fresh.push(row)
      else if (!proves({ ...existing, hash: row.hash })) wrong.push(row)
    }
    counts.added += fresh.length
    counts.mended += wrong.length
    if (fresh.length + wrong.length === 0) return
    await writer.write([insertBlocks(fresh, clock.now()), replacePlaces(wrong)])
  }

  try {
    for (const { id, bytes } of logs) {
      for await (const record of readRecords(files, id, bytes)) {
        const { key, payload, at } = record
        if (record.kind === 'object') {
          const size = payload.length
          await addRow({
            hash: new Uint8Array(key),
            file: id,
            at,
            bytes: size,
            form: verbatim,
            size,
          })
        } else {
          for (const row of await leafRows(id, record)) await addRow(row)
        }
        onBytes(done + at, total)
      }
      done += bytes
    }
    await write()
    return counts
  } finally {
    await files.close()
  }
}

function rowsOf(table: LeafTable): readonly BlockRow[] {
  const { file, at, form, leafBytes, lastBytes, digests } = table
  return digests.map((digest, index) => {
    const bytes = index === digests.length - 1 ? lastBytes : leafBytes
    return {
      hash: encodeMultihash(sha256Code, digest),
      file,
      at: at + index * leafBytes,
      bytes,
      form,
      size: form === dagPbLeaf ? leafBlockBytes(bytes) : bytes,
    }
  })
}
