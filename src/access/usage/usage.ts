// Usage per minute, hour and day, by key, API, network, method and outcome: counted in memory, written each second in
// one write. A kill loses at most the last second; a failed write loses no counts.
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { findOne, revisionOf } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import { findTransfer, sumUnitsOfDay } from '../../tables/usage.ts'
import { startOfMonth, type Transferred } from './transfer-counts.ts'
import {
  addCall,
  addRow,
  dayMs,
  emptyRow,
  type FlushedRow,
  minuteMs,
  rowName,
  type UsageRow,
  type UsedCall,
} from './usage-row.ts'
import { usageStatements } from './usage-statements.ts'

type FlushListener = (rows: readonly FlushedRow[]) => void

export type Usage = {
  readonly count: (call: UsedCall) => void
  /** Adds the bytes of a call that was counted, and no call. */
  readonly countBytes: (call: UsedCall) => void
  /** Units charged to a key since 00:00 UTC. */
  readonly unitsToday: (keyId: string) => number
  /** Body bytes of these keys over the IPFS API since the start of the month (UTC). */
  readonly bytesThisMonth: (keyIds: readonly string[]) => Transferred
  /**
   * Passes each row once, after it was written; not called for a second without usage. Errors of a listener are
   * logged. The returned function unsubscribes.
   */
  onFlush(listener: FlushListener): () => void
  /** Runs `read` on one state of the database; `held`: the rows that are counted and not in it. */
  read<Result>(read: (held: readonly FlushedRow[]) => Result): Result
  /** Writes that failed since the start. */
  readonly failedWrites: number
  /** Writes all counts so far, including those of a failed write; resolves in any case. */
  flush(): Promise<void>
  /** Ends the writing each second; `flush` still works. */
  stop(): void
}

const flushPeriodMs = 1000
const rowsMax = 10_000

/** `rowsMax`: different rows between two writes; calls beyond are added up under the method `other`. */
export function createUsage(parts: {
  readonly db: Database
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
  readonly rowsMax?: number
}): Usage {
  const { db, writer, clock, log } = parts
  const most = parts.rowsMax ?? rowsMax
  const counted = new Map<string, UsageRow>()
  // Key id -> method -> the row counted last: most calls find theirs without spelling its whole name.
  const lately = new Map<string, Map<string, UsageRow>>()
  let last: UsageRow | null = null
  const listeners = new Set<FlushListener>()
  // Looked up each second, not at each call: a call may count to the minute that ended within the second before it.
  let minute = startOfMinute(clock.now())
  /** How many writes of usage the database has seen, this process' own among them. */
  let revision = readRevision()
  let underway: readonly UsageRow[] = []
  let flushing: Promise<void> | null = null
  let lost = 0
  let failedWrites = 0

  function readRevision(): number {
    return findOne(db, revisionOf('usage'))?.number ?? 0
  }

  function findLately(call: UsedCall): UsageRow | null {
    // The bytes of a call follow its count.
    const again = last !== null && last.keyId === call.keyId && last.method === call.method
    const row = again ? last : (lately.get(call.keyId)?.get(call.method) ?? null)
    last = row
    const same =
      row !== null &&
      row.outcome === call.outcome &&
      row.face === call.face &&
      row.network === call.network &&
      row.minute === minute &&
      row.reason === call.reason &&
      row.status === call.status
    return same ? row : null
  }

  function noteLately(row: UsageRow): void {
    const methods = lately.get(row.keyId) ?? new Map<string, UsageRow>()
    methods.set(row.method, row)
    last = row
    lately.set(row.keyId, methods)
  }

  /** The row that calls like those of `row` count in; null: there are too many rows. */
  function seatOf(row: UsageRow): UsageRow | null {
    const known = counted.get(rowName(row))
    if (known !== undefined) return known
    if (counted.size >= 2 * most) return null
    if (counted.size >= most && row.method !== 'other') return seatOf({ ...row, method: 'other' })
    counted.set(rowName(row), row)
    return row
  }

  async function writeOnce(): Promise<void> {
    if (lost > 0) log('error', 'usage_lost', { requests: lost })
    lost = 0
    if (counted.size === 0) return
    underway = [...counted.values()]
    counted.clear()
    lately.clear()
    last = null
    const written = await write(underway)
    // In one turn with `underway`: a read in between would find these rows in the database and here.
    if (written) revision++
    const rows = underway
    underway = []
    if (written) return tell(rows)
    for (const row of rows) {
      const seat = seatOf(emptyRow(row, row.minute))
      if (seat === null) lost += row.requests
      else addRow(seat, row)
    }
  }

  /** Whether the last write is in the database. Where that cannot be read, it is written again rather than lost. */
  function stands(): boolean {
    try {
      return readRevision() !== revision
    } catch (error) {
      log('error', 'usage_not_read', { error })
      return false
    }
  }

  async function write(rows: readonly UsageRow[]): Promise<boolean> {
    try {
      await writer.write(usageStatements(rows))
    } catch (error) {
      failedWrites++
      log('error', 'usage_not_written', { rows: rows.length, error })
      // A write without a reply may have succeeded.
      return stands()
    }
    return true
  }

  function tell(rows: readonly FlushedRow[]): void {
    for (const listener of listeners) {
      try {
        listener(rows)
      } catch (error) {
        log('error', 'usage_listener_failed', { error })
      }
    }
  }

  async function flush(): Promise<void> {
    while (flushing !== null) await flushing
    flushing = writeOnce().finally(() => (flushing = null))
    await flushing
  }

  function read<Result>(run: (held: readonly FlushedRow[]) => Result): Result {
    return db.together(() => {
      const seen = underway.length > 0 && readRevision() > revision
      return run([...(seen ? [] : underway), ...counted.values()])
    })
  }

  const stop = clock.every(flushPeriodMs, () => {
    minute = startOfMinute(clock.now())
    // A slow disk: calls counted in the meantime go into the next write.
    if (flushing === null) void flush()
  })

  function rowOf(call: UsedCall): UsageRow | null {
    const known = findLately(call)
    if (known !== null) return known
    const row = seatOf(emptyRow(call, minute))
    if (row !== null) noteLately(row)
    return row
  }

  return {
    count(call) {
      const row = rowOf(call)
      if (row === null) lost++
      else addCall(row, call)
    },
    countBytes(call) {
      const row = rowOf(call)
      if (row === null) return
      row.bytesIn += call.bytesIn
      row.bytesOut += call.bytesOut
    },
    unitsToday: (keyId) =>
      read((held) => {
        const today = clock.now() - (clock.now() % dayMs)
        let units = findOne(db, sumUnitsOfDay(keyId, today))?.units ?? 0
        for (const row of held) {
          if (row.keyId === keyId && row.minute >= today) units += row.units
        }
        return units
      }),
    bytesThisMonth: (keyIds) =>
      read((held) => {
        const month = startOfMonth(clock.now())
        const sums = { up: 0, down: 0 }
        for (const keyId of keyIds) {
          const written = findOne(db, findTransfer(keyId, month))
          sums.up += written?.bytes_in ?? 0
          sums.down += written?.bytes_out ?? 0
        }
        for (const row of held) {
          if (row.face !== 'files' || row.minute < month || !keyIds.includes(row.keyId)) continue
          sums.up += row.bytesIn
          sums.down += row.bytesOut
        }
        return sums
      }),
    onFlush(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    read,
    get failedWrites() {
      return failedWrites
    },
    flush,
    stop,
  }
}

function startOfMinute(now: number): number {
  return now - (now % minuteMs)
}
