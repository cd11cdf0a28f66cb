// Opens the store of a data folder. Removes open uploads left by a crash, writes pending index rows,
// and moves blocks that an earlier version stored in rows to the segments.
// Tested by test/start.test.ts
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { HashWorker } from '../codec/hash/hash-worker.ts'
import { discardStaged } from '../content/sqlite-store.ts'
import { moveBlocks } from '../content/segments/move-blocks.ts'
import { replayLog } from '../content/segments/replay-log.ts'
import { discardListed } from '../content/segments/segment-batch.ts'
import { type SegmentLimits } from '../content/segments/segment-limits.ts'
import { createSegmentStore, type SegmentStore } from '../content/segments/segment-store.ts'
import { segmentBytes } from '../content/segments/segment-folder.ts'
import { createSystemFiles } from '../content/system-files.ts'
import type { Database } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'

/** Folder of the segments in a data folder. */
export function segmentsOf(dataDir: string): string {
  return join(dataDir, 'store')
}

/** Bytes of the segments in a data folder; creates nothing. */
export function segmentBytesOf(dataDir: string): number {
  return segmentBytes(createSystemFiles(), segmentsOf(dataDir))
}

/**
 * Call before a new `cairn.db` is created. Throws a sentence for the operator if content exists without it: keys
 * and pins are only in that file, so starting without it would look like a loss of all data.
 */
export function refuseLostDatabase(dataDir: string): void {
  if (existsSync(join(dataDir, 'cairn.db'))) return
  if (segmentBytesOf(dataDir) === 0) return
  throw new Error(
    `${segmentsOf(dataDir)} holds content, but ${join(dataDir, 'cairn.db')} with keys and pins is missing: restore it from a backup, or keep only the content: cairn store rebuild --data-dir ${dataDir}`,
  )
}

/** Call before any other work on the folder. */
export async function openStore(parts: {
  readonly dataDir: string
  readonly database: Database
  /** A second connection, for values that are read within one event-loop turn. */
  readonly bytesDb?: Database
  readonly writer: Writer
  readonly bytesMax: number | null
  /** Other bytes that count against `bytesMax`. */
  readonly besideBytes?: () => number
  readonly limits?: SegmentLimits
  readonly hashBeside?: HashWorker | null
  readonly clock: Clock
  readonly log: Log
}): Promise<SegmentStore> {
  const {
    dataDir,
    database: db,
    bytesDb,
    writer,
    bytesMax,
    besideBytes = () => 0,
    limits,
    hashBeside = null,
    clock,
    log,
  } = parts
  await discardStaged(writer)
  await discardListed(writer, null)
  const ops = createSystemFiles()
  const replay = { db, writer, ops, path: segmentsOf(dataDir), clock }
  const rowsFollow = await replayLog(replay).then(() => true, roomIsMissing(log))
  const store = createSegmentStore({
    db,
    bytesDb,
    writer,
    ops,
    path: segmentsOf(dataDir),
    bytesMax,
    besideBytes,
    rowsFollow,
    hashBeside,
    clock,
    log,
    ...(limits === undefined ? {} : { limits }),
  })
  await moveBlocks({ db, store, log })
  return store
}

/** Without space for rows the server still starts, for reads and deletions; the next start replays the log. */
function roomIsMissing(log: Log): (error: unknown) => false {
  return (error) => {
    if (!(error instanceof Fault) || error.code !== 'no_space') throw error
    log('warn', 'log_not_replayed', { error })
    return false
  }
}
