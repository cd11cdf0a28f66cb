// Chain rows and segments share the size limit of a store: the database may use the space that segments do not use.
// Tested by src/content/segments/segment-files.test.ts
import type { Log } from '../../base/log.ts'
import { databaseBytes, limitPages, pageBytes } from '../../db/database-bytes.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'

type DatabaseSpace = {
  /** Current size of the database. */
  bytes(): number
  /** Sets the size of the segments. Asynchronous: until it applies, the previous limit is in effect. */
  setSegmentBytes(segmentBytes: number): void
}

/** `bytesMax`: of the segments and the database together; null: limited by the device only. */
export function createDatabaseSpace(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly log: Log
  readonly bytesMax: number | null
  /** Bytes of other data within `bytesMax`. */
  readonly otherBytes: () => number
}): DatabaseSpace {
  const { db, writer, log, bytesMax, otherBytes } = parts
  return {
    bytes: () => databaseBytes(db),
    setSegmentBytes(segmentBytes) {
      if (bytesMax === null) return
      const left = bytesMax - segmentBytes - otherBytes()
      const pages = Math.max(1, Math.floor(left / pageBytes(db)))
      writer
        .write([limitPages(pages)])
        .catch((error: unknown) => log('warn', 'room_not_divided', { error }))
    },
  }
}
