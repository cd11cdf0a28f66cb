// Rows of chains share the room of a store with its segments: their database may grow to what the segments leave.
// Tested by src/content/segments/segment-files.test.ts
import type { Log } from '../../base/log.ts'
import { databaseBytes, pageBytes } from '../../db/database-bytes.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'

type DatabaseSpace = {
  /** What the database takes now. */
  bytes(): number
  /** The segments have grown to so many bytes. Nobody waits for it: until it is there, the limit before it holds. */
  leave(segmentBytes: number): void
}

/** `bytesMax`: of the segments and the database together; null: the device says. */
export function createDatabaseSpace(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly log: Log
  readonly bytesMax: number | null
  /** Of `bytesMax`, taken by neither. */
  readonly besideBytes: () => number
}): DatabaseSpace {
  const { db, writer, log, bytesMax, besideBytes } = parts
  return {
    bytes: () => databaseBytes(db),
    leave(segmentBytes) {
      if (bytesMax === null) return
      const left = bytesMax - segmentBytes - besideBytes()
      const pages = Math.max(1, Math.floor(left / pageBytes(db)))
      writer
        .write([{ sql: `PRAGMA max_page_count = ${pages}`, parameters: [] }])
        .catch((error: unknown) => log('warn', 'room_not_divided', { error }))
    },
  }
}
