// Usage per minute, hour and day, by key, API, network, method and outcome: counted in memory and written once per second. A kill
// loses at most the last second; a failed write loses no counts. Each write has a number of this writer and is repeated with it
// until the database contains it, so it counts once. While a remote database is unreachable, writes wait in a local file
// (usage-spool.ts), which one process of a machine owns: other processes send their flushes to it.
// Tested by src/access/usage/usage.test.ts, src/access/usage/usage-spool.test.ts
import { randomUUID } from 'node:crypto'
import { NothingChanged } from '../../db/writer.ts'
import { type Transferred, startOfMonth } from './transfer-counts.ts'
import type { NumberedFlush, UsageSpool } from './usage-spool.ts'
import { usageStatements } from './usage-statements.ts'
import {
  type FlushedRow,
  type UsageRow,
  type UsedCall,
  addCall,
  dayMs,
  emptyRow,
  minuteMs,
  rowName,
} from './usage-row.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Query, Rows, RowsOf } from '../../db/rows.ts'
import { findAll, findOne } from '../../db/sqlite-rows.ts'
import { findFlush, numberFlush } from '../../tables/usage-flushes.ts'
import type { Database } from '../../db/sqlite.ts'
import { findTransfer, sumUnitsOfDay, type TransferRow } from '../../tables/usage.ts'

type FlushListener = (rows: readonly FlushedRow[]) => void

export type Usage = {
  readonly count: (call: UsedCall) => void
  /** Adds the bytes of a counted call, without another call. */
  readonly countBytes: (call: UsedCall) => void
  /** Units charged to a key since 00:00 UTC. */
  readonly unitsToday: (keyId: string) => number | Promise<number>
  /** Body bytes of these keys over the IPFS API since the start of the month (UTC). */
  readonly bytesThisMonth: (keyIds: readonly string[]) => Transferred | Promise<Transferred>
  /**
   * Passes each row to the listener once, after it was written; not called for a second without usage. Errors of a listener are
   * logged. The returned function unsubscribes.
   */
  onFlush(listener: FlushListener): () => void
  /** Stores a flush of another process in the spool and writes it soon. False: not stored. */
  accept(flush: NumberedFlush): boolean
  /** Passes rows that another process has written to the listeners. */
  addFlushed(rows: readonly FlushedRow[]): void
  /** Reads a snapshot of the database, and the rows in memory that it does not contain: together each call once. */
  readonly read: UsageRead
  /** Number of rows in memory. */
  readonly unwrittenRows: number
  /** Number of writes that failed since the start. */
  readonly failedWrites: number
  /** Writes all counts, including those of a failed write. Never rejects. */
  flush(): Promise<void>
  /** Stops the periodic writes; `flush` still works. */
  stop(): void
}

/** `unwritten`: counted rows that the database snapshot of `rows` does not contain. */
type UsageState<Queries extends readonly Query<object>[]> = {
  readonly rows: RowsOf<Queries>
  readonly unwritten: readonly FlushedRow[]
}

/** `isSelected`: selects rows in memory. */
export type UsageRead = <const Queries extends readonly Query<object>[]>(
  queries: Queries,
  isSelected: (row: FlushedRow) => boolean,
) => Promise<UsageState<Queries>>

/** A flush in flight to the database. */
type Flush = NumberedFlush & {
  /** It is also the first one in the spool. */
  isSpooled: boolean
}

const flushPeriodMs = 1000
const rowsMax = 10_000

/**
 * `db`: the database of `rows`, for synchronous sums; null: it is remote, and sums are promises. `spool`: for writes while `rows`
 * cannot be reached; the caller closes it. `send`: sends flushes to another process, which writes them and passes their rows on; it
 * rejects if that process has not stored them; null: writes into `rows`. `rowsMax`: maximum number of different rows between two
 * writes; further calls are counted under the method `other`.
 */
export function createUsage(parts: {
  readonly db: Database | null
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  readonly rowsMax?: number
  readonly spool?: UsageSpool | null
  readonly send?: ((flush: NumberedFlush) => Promise<void>) | null
}): Usage {
  const { db, rows, clock, log, spool = null, send = null } = parts
  const writer = randomUUID()
  const most = parts.rowsMax ?? rowsMax
  const counted = new Map<string, UsageRow>()
  // Key ID -> method -> the row counted last: most calls find theirs without building its whole name.
  const recent = new Map<string, Map<string, UsageRow>>()
  let last: UsageRow | null = null
  const listeners = new Set<FlushListener>()
  // Updated each second, not at each call: a call may count in the minute that ended within the second before it.
  let minute = startOfMinute(clock.now())
  /** Sequence number of the last flush, written or not. */
  let seq = 0
  let underway: Flush | null = null
  let flushing: Promise<void> | null = null
  let lost = 0
  let failedWrites = 0

  /** `anyLabel`: for counts of bytes, which do not contain the label of their call. */
  function findRecent(call: UsedCall, anyLabel: boolean): UsageRow | null {
    // The bytes of a call are counted directly after the call.
    const isSameMethod = last !== null && last.keyId === call.keyId && last.method === call.method
    const row = isSameMethod ? last : (recent.get(call.keyId)?.get(call.method) ?? null)
    last = row
    const isSame =
      row !== null &&
      row.outcome === call.outcome &&
      row.face === call.face &&
      row.network === call.network &&
      (anyLabel || row.verified === call.verified) &&
      row.minute === minute &&
      row.reason === call.reason &&
      row.status === call.status
    return isSame ? row : null
  }

  function addRecent(row: UsageRow): void {
    const methods = recent.get(row.keyId) ?? new Map<string, UsageRow>()
    methods.set(row.method, row)
    last = row
    recent.set(row.keyId, methods)
  }

  /** The row that counts calls like those of `row`; null: there are too many rows. */
  function rowFor(row: UsageRow): UsageRow | null {
    const known = counted.get(rowName(row))
    if (known !== undefined) return known
    if (counted.size >= 2 * most) return null
    if (counted.size >= most && row.method !== 'other') return rowFor({ ...row, method: 'other' })
    counted.set(rowName(row), row)
    return row
  }

  /** Takes the rows counted so far as the next flush; null: there are none. */
  function takeCounted(): Flush | null {
    if (lost > 0) log('error', 'usage_lost', { requests: lost })
    lost = 0
    if (counted.size === 0) return null
    seq += 1
    const flush = { writer, seq, rows: [...counted.values()], isSpooled: false }
    counted.clear()
    recent.clear()
    last = null
    return flush
  }

  async function writeAll(): Promise<void> {
    underway ??= firstSpooled()
    while (underway !== null) {
      if (!(await writeUnderway(underway))) return spoolAll()
      underway = firstSpooled()
    }
    // Calls that are counted during the write are part of the next one.
    underway = takeCounted()
    if (underway !== null && !(await writeUnderway(underway))) spoolAll()
  }

  async function writeUnderway(flush: Flush): Promise<boolean> {
    if (!(await write(flush))) return false
    // Synchronous: a read in between would find these rows twice, or not at all.
    underway = null
    if (flush.isSpooled) spool?.drop()
    if (send === null) notify(flush.rows)
    return true
  }

  function firstSpooled(): Flush | null {
    const flush = spool?.first() ?? null
    return flush === null ? null : { ...flush, isSpooled: true }
  }

  /**
   * Moves unwritten rows to the spool, so that a kill does not lose them. Without a spool, or if it is full, they stay in memory.
   */
  function spoolAll(): void {
    if (spool === null || underway === null) return
    if (!underway.isSpooled && !spool.append(underway)) return
    underway.isSpooled = true
    if (spool.isFull) return
    const next = takeCounted()
    if (next !== null && !spool.append(next)) lost += requestsOf(next)
  }

  /** False: the result is unknown, so the flush must be sent again. */
  async function write(flush: Flush): Promise<boolean> {
    const { writer: by, seq: number, rows: flushed } = flush
    try {
      if (send === null) {
        const numbered = numberFlush(by, number, clock.now())
        await rows.write([numbered, ...usageStatements(flushed)], { lock: 'usage' })
      } else await send({ writer: by, seq: number, rows: flushed })
      return true
    } catch (error) {
      // An earlier attempt was written, though its reply was lost.
      if (error instanceof NothingChanged) return true
      failedWrites++
      log('error', 'usage_not_written', { rows: flushed.length, error })
      return false
    }
  }

  function notify(rows: readonly FlushedRow[]): void {
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
    flushing = writeAll().finally(() => (flushing = null))
    await flushing
  }

  async function read<const Queries extends readonly Query<object>[]>(
    queries: Queries,
    isSelected: (row: FlushedRow) => boolean,
  ): Promise<UsageState<Queries>> {
    // Take the rows in memory now: calls that are counted during the read are in none of them.
    const flush = underway
    const flushed = flush?.rows.filter(isSelected) ?? []
    const unsent = [...counted.values()].filter(isSelected).map(copyOf)
    const next = seq + 1
    const [own, other, ...found] = await rows.snapshot([
      findFlush(writer),
      findFlush(flush?.writer ?? writer),
      ...queries,
    ])
    const unwritten = [
      ...((other[0]?.seq ?? 0) >= (flush?.seq ?? 0) ? [] : flushed),
      ...((own[0]?.seq ?? 0) >= next ? [] : unsent),
    ]
    return { rows: found as unknown as RowsOf<Queries>, unwritten }
  }

  /** As `read`, synchronous. */
  function readNow<Result>(
    local: Database,
    run: (unwritten: readonly FlushedRow[]) => Result,
  ): Result {
    return local.together(() => {
      const written = underway === null ? 0 : (findOne(local, findFlush(underway.writer))?.seq ?? 0)
      const isAdded = underway !== null && written >= underway.seq
      return run([...(isAdded ? [] : (underway?.rows ?? [])), ...counted.values()])
    })
  }

  function unitsToday(keyId: string): number | Promise<number> {
    const today = clock.now() - (clock.now() % dayMs)
    const isSelected = (row: FlushedRow): boolean => row.keyId === keyId && row.minute >= today
    const sum = (written: number, unwritten: readonly FlushedRow[]): number =>
      unwritten.filter(isSelected).reduce((units, row) => units + row.units, written)
    const query = sumUnitsOfDay(keyId, today)
    if (db !== null)
      return readNow(db, (unwritten) => sum(findOne(db, query)?.units ?? 0, unwritten))
    return read([query], isSelected).then(({ rows: [found], unwritten }) =>
      sum(found[0]?.units ?? 0, unwritten),
    )
  }

  function bytesThisMonth(keyIds: readonly string[]): Transferred | Promise<Transferred> {
    const month = startOfMonth(clock.now())
    const isSelected = (row: FlushedRow): boolean =>
      row.face === 'files' && row.minute >= month && keyIds.includes(row.keyId)
    const sum = (
      written: readonly TransferRow[],
      unwritten: readonly FlushedRow[],
    ): Transferred => {
      const sums = { up: 0, down: 0 }
      for (const row of written) {
        sums.up += row.bytes_in
        sums.down += row.bytes_out
      }
      for (const row of unwritten.filter(isSelected)) {
        sums.up += row.bytesIn
        sums.down += row.bytesOut
      }
      return sums
    }
    const queries = keyIds.map((keyId) => findTransfer(keyId, month))
    if (db !== null) {
      return readNow(db, (unwritten) =>
        sum(
          queries.flatMap((query) => findAll(db, query)),
          unwritten,
        ),
      )
    }
    return read(queries, isSelected).then(({ rows: found, unwritten }) =>
      sum(found.flat(), unwritten),
    )
  }

  const stop = clock.every(flushPeriodMs, () => {
    minute = startOfMinute(clock.now())
    // A slow disk: calls counted in the meantime are part of the next write. A remote database may be unreachable for longer.
    if (flushing === null) void flush()
    else spoolAll()
  })

  function rowOf(call: UsedCall, anyLabel = false): UsageRow | null {
    const known = findRecent(call, anyLabel)
    if (known !== null) return known
    const row = rowFor(emptyRow(call, minute))
    if (row !== null) addRecent(row)
    return row
  }

  return {
    count(call) {
      const row = rowOf(call)
      if (row === null) lost++
      else addCall(row, call)
    },
    countBytes(call) {
      const row = rowOf(call, true)
      if (row === null) return
      row.bytesIn += call.bytesIn
      row.bytesOut += call.bytesOut
    },
    unitsToday,
    bytesThisMonth,
    onFlush(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    accept(sent) {
      const isStored = spool?.append(sent) ?? false
      if (flushing === null) void flush()
      return isStored
    },
    addFlushed: notify,
    read,
    get unwrittenRows() {
      return (underway?.rows.length ?? 0) + counted.size
    },
    get failedWrites() {
      return failedWrites
    },
    flush,
    stop,
  }
}

function requestsOf({ rows }: NumberedFlush): number {
  return rows.reduce((sum, { requests }) => sum + requests, 0)
}

function copyOf(row: UsageRow): FlushedRow {
  return { ...row, latency: row.latency?.slice() ?? null }
}

function startOfMinute(now: number): number {
  return now - (now % minuteMs)
}
