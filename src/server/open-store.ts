// Opens the store of a data folder: what a crash left of open uploads is cleared, blocks whose rows were still to come
// get them, and blocks that an earlier version kept in rows are moved to the segments.
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

/** The folder of the segments in a data folder. */
export function segmentsOf(dataDir: string): string {
  return join(dataDir, 'store')
}

/** Bytes of the segments in a data folder, of which nothing is made. */
export function segmentBytesOf(dataDir: string): number {
  return segmentBytes(createSystemFiles(), segmentsOf(dataDir))
}

/**
 * Before anything makes a new `cairn.db`. Throws a sentence for the operator when content is there without it: keys
 * and pins are in that file alone, and starting with none would look like a loss of everything.
 */
export function refuseLostDatabase(dataDir: string): void {
  if (existsSync(join(dataDir, 'cairn.db'))) return
  if (segmentBytesOf(dataDir) === 0) return
  throw new Error(
    `${segmentsOf(dataDir)} holds content, but ${join(dataDir, 'cairn.db')} is gone, and with it keys and pins: put it back from a copy; or begin anew with the content alone: cairn store rebuild --data-dir ${dataDir}`,
  )
}

/** Before any other work on the folder. */
export async function openStore(parts: {
  readonly dataDir: string
  readonly database: Database
  /** A second connection, for bytes of one turn. */
  readonly bytesDb?: Database
  readonly writer: Writer
  readonly bytesMax: number | null
  /** What else takes of `bytesMax`. */
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

/** Without room for rows a server still starts, to read and to make room; the log is replayed at the next start. */
function roomIsMissing(log: Log): (error: unknown) => false {
  return (error) => {
    if (!(error instanceof Fault) || error.code !== 'no_space') throw error
    log('warn', 'log_not_replayed', { error })
    return false
  }
}
