// Replays the end of the logs into the index: acknowledged blocks whose rows were not written when the server ended. Unacknowledged
// blocks may be included; no root refers to them, so they are garbage-collected.
import type { Clock } from '../../base/clock.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { FileOps } from '../file-ops.ts'
import { insertBlocks, verbatim, type BlockRow } from '../../tables/blocks.ts'
import { setCheckpoint, findCheckpoint } from '../../tables/log-checkpoint.ts'
import { createOpenFiles } from './open-files.ts'
import { readRecords, type StoredRecord } from './read-records.ts'
import { openSegmentFolder } from './segment-folder.ts'

/** Rows per write, while the next records are read: 500 took 20 % longer, 4000 as long. */
const stepRows = 2000
const filesMax = 4
/** Number of further reads of a block that fails verification. */
const moreReads = 2

/**
 * Call before anything is written to the store; resolves to the number of blocks that got a row. A store without a checkpoint has
 * rows for all acknowledged blocks, and gets a checkpoint.
 */
export async function replayLog(parts: {
  readonly db: Database
  readonly writer: Pick<Writer, 'write'>
  readonly ops: FileOps
  readonly path: string
  readonly clock: Clock
}): Promise<number> {
  const { db, writer, ops, path, clock } = parts
  const folder = openSegmentFolder({ ops, path, bytesMax: null, otherBytes: () => 0 })
  const segments = folder.files()
  const last = segments.at(-1) ?? { id: 0, bytes: 0 }
  const end = { file: last.id, at: last.bytes }
  const from = findCheckpoint(db) ?? end
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax })
  let replayed = 0
  let queued: BlockRow[] = []
  let writing: Promise<readonly number[]> | null = null

  /** Reads again, because a read may return wrong bytes although the disk has the right ones. */
  async function provesAgain({ key, payload, at }: StoredRecord, file: number): Promise<boolean> {
    const bytes = new Uint8Array(payload.length)
    for (let read = 0; read < moreReads; read += 1) {
      if ((await files.read(file, bytes, at)) === bytes.length && proves(key, bytes)) return true
    }
    return false
  }

  /** Writes rows in the background, after the previous ones. Existing rows remain. */
  async function write(): Promise<void> {
    await written()
    if (queued.length === 0) return
    const rows = queued
    queued = []
    writing = writer.write([insertBlocks(rows, clock.now())])
    // `written` reports the error.
    writing.catch(() => undefined)
  }

  async function written(): Promise<void> {
    const last = writing
    writing = null
    const [changed = 0] = (await last) ?? []
    replayed += changed
  }

  try {
    for (const { id, kind, bytes } of segments) {
      if (kind !== 'log' || id < from.file) continue
      const begin = id === from.file ? from.at : 0
      for await (const record of readRecords(files, id, bytes, begin)) {
        const { at, payload } = record
        if (record.kind !== 'object') continue
        if (!proves(record.key, payload) && !(await provesAgain(record, id))) continue
        const size = payload.length
        const hash = new Uint8Array(record.key)
        queued.push({ hash, file: id, at, bytes: size, form: verbatim, size })
        if (queued.length >= stepRows) await write()
      }
    }
    await write()
    await written()
    const checkpoint = findCheckpoint(db)
    if (checkpoint?.file !== end.file || checkpoint.at !== end.at)
      await writer.write([setCheckpoint(end)])
    return replayed
  } finally {
    await written().catch(() => undefined)
    await files.close()
  }
}

function proves(hash: Uint8Array, bytes: Uint8Array): boolean {
  try {
    verifyDagBlock(hash, bytes)
    return true
  } catch {
    return false
  }
}
