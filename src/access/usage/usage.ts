// Usage per minute, hour and day, by key, API, network, method and outcome: counted in memory, written each second in
// one write. A kill loses at most the last second; a failed write loses no counts.
import { latencyColumns } from '../../db/migrations.ts'
import type { Statement } from '../../db/writer.ts'
import {
  type CallGroup,
  type LatencyAddition,
  type TransferAddition,
  type UsageAddition,
  addUsage,
} from '../../tables/usage-additions.ts'
import { type Transferred, startOfMonth } from './transfer-counts.ts'
import {
  type FlushedRow,
  type UsageRow,
  type UsedCall,
  addCall,
  addRow,
  dayMs,
  emptyRow,
  minuteMs,
  rowName,
} from './usage-row.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Query, Rows, RowsOf } from '../../db/rows.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import { revisionOf } from '../../tables/revisions.ts'
import type { Database } from '../../db/sqlite.ts'
import { findTransfer, sumUnitsOfDay } from '../../tables/usage.ts'

/** All of `rows`, and one more for the revision `usage`. */
function usageStatements(rows: readonly FlushedRow[]): readonly Statement[] {
  return addUsage({
    usage: rows.map(usageAddition),
    latencies: rows.flatMap(latencyAdditions),
    transfers: rows.filter(isTransfer).map(transferAddition),
    keyUses: rows.map(({ keyId, minute }) => [keyId, minute]),
  })
}

function groupOf({ keyId, accountId, minute, face, network, method }: FlushedRow): CallGroup {
  return [keyId, accountId, minute, face, network, method]
}

function usageAddition(row: FlushedRow): UsageAddition {
  const { outcome, reason, status, requests, units, bytesIn, bytesOut } = row
  return [...groupOf(row), outcome, reason, status, requests, units, bytesIn, bytesOut]
}

/** One for each part of the histogram in which there is something. */
function latencyAdditions(row: FlushedRow): LatencyAddition[] {
  const { latency } = row
  if (latency === null) return []
  const parts: LatencyAddition[] = []
  const width = latencyColumns.length
  for (let from = 0; from < latency.length; from += width) {
    const counts = latency.slice(from, from + width)
    if (counts.every((count) => count === 0)) continue
    parts.push([...groupOf(row), from / width, ...padded(counts, width)])
  }
  return parts
}

function padded(counts: Readonly<Uint32Array>, width: number): number[] {
  return Array.from({ length: width }, (_, at) => counts[at] ?? 0)
}

function isTransfer({ face, bytesIn, bytesOut }: FlushedRow): boolean {
  return face === 'files' && bytesIn + bytesOut > 0
}

function transferAddition({ keyId, minute, bytesIn, bytesOut }: FlushedRow): TransferAddition {
  return [keyId, startOfMonth(minute), bytesIn, bytesOut]
}

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
  /** Passes rows that another process has written to the listeners. */
  addFlushed(rows: readonly FlushedRow[]): void
  /** Reads one state of the database, and the rows in memory that are not in it: together each call once. */
  readonly read: UsageRead
  /** Writes that failed since the start. */
  readonly failedWrites: number
  /** Writes all counts so far, including those of a failed write; resolves in any case. */
  flush(): Promise<void>
  /** Ends the writing each second; `flush` still works. */
  stop(): void
}

/** `held`: rows that are counted and not in the state of the database that `rows` are from. */
type UsageState<Queries extends readonly Query<object>[]> = {
  readonly rows: RowsOf<Queries>
  readonly held: readonly FlushedRow[]
}

/** `isWanted`: selects from the rows in memory. */
export type UsageRead = <const Queries extends readonly Query<object>[]>(
  queries: Queries,
  isWanted: (row: FlushedRow) => boolean,
) => Promise<UsageState<Queries>>

/** Rows on their way to the database. */
type Flush = {
  readonly rows: readonly UsageRow[]
  /** They were not written, and are counted again. */
  failed: boolean
}

const flushPeriodMs = 1000
const rowsMax = 10_000

/**
 * `db`: the database of `rows`, for the limits of a request. `rowsMax`: different rows between two writes; calls beyond
 * are added up under the method `other`.
 */
export function createUsage(parts: {
  readonly db: Database
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
  readonly rowsMax?: number
}): Usage {
  const { db, rows, clock, log } = parts
  const most = parts.rowsMax ?? rowsMax
  const counted = new Map<string, UsageRow>()
  // Key id -> method -> the row counted last: most calls find theirs without spelling its whole name.
  const lately = new Map<string, Map<string, UsageRow>>()
  let last: UsageRow | null = null
  const listeners = new Set<FlushListener>()
  // Looked up each second, not at each call: a call may count to the minute that ended within the second before it.
  let minute = startOfMinute(clock.now())
  /** How many writes of usage the database has seen, this process' own among them; null: unknown. */
  let revision: number | null = revisionNow()
  let underway: Flush | null = null
  let flushing: Promise<void> | null = null
  let lost = 0
  let failedWrites = 0

  function revisionNow(): number {
    return findOne(db, revisionOf('usage'))?.number ?? 0
  }

  /** Null: it cannot be read. */
  async function findRevision(): Promise<number | null> {
    try {
      return (await rows.first(revisionOf('usage')))?.number ?? 0
    } catch (error) {
      log('error', 'usage_not_read', { error })
      return null
    }
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
    revision ??= await findRevision()
    if (revision === null) return
    const before = revision
    const flush: Flush = { rows: [...counted.values()], failed: false }
    underway = flush
    counted.clear()
    lately.clear()
    last = null
    const outcome = await write(flush.rows, before)
    // All in one turn: a read in between would find these rows twice, or not at all.
    underway = null
    if (outcome === 'written') {
      revision = before + 1
      return tell(flush.rows)
    }
    if (outcome === 'unknown') revision = null
    flush.failed = true
    for (const row of flush.rows) {
      const seat = seatOf(emptyRow(row, row.minute))
      if (seat === null) lost += row.requests
      else addRow(seat, row)
    }
  }

  /** `before`: the revision. `unknown`: it failed, and the database cannot be read. */
  async function write(
    flushed: readonly UsageRow[],
    before: number,
  ): Promise<'written' | 'failed' | 'unknown'> {
    try {
      await rows.write(usageStatements(flushed))
      return 'written'
    } catch (error) {
      failedWrites++
      log('error', 'usage_not_written', { rows: flushed.length, error })
      // A write without a reply may have succeeded. Where that cannot be read, it is written again rather than lost.
      const now = await findRevision()
      if (now === null) return 'unknown'
      return now === before ? 'failed' : 'written'
    }
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

  async function read<const Queries extends readonly Query<object>[]>(
    queries: Queries,
    isWanted: (row: FlushedRow) => boolean,
  ): Promise<UsageState<Queries>> {
    // The rows in memory are those of this turn: calls that are counted during the read are in none of them.
    const known = revision
    const flush = underway
    const flushed = flush?.rows.filter(isWanted) ?? []
    const waiting = [...counted.values()].filter(isWanted).map(copyOf)
    const [revisions, ...found] = await rows.snapshot([revisionOf('usage'), ...queries])
    const added = known === null ? 0 : (revisions[0]?.number ?? 0) - known
    // The next write contains the rows of one that failed, and those that waited then.
    const addedBefore = flush === null || flush.failed ? 0 : 1
    const held = [...(added > 0 ? [] : flushed), ...(added > addedBefore ? [] : waiting)]
    return { rows: found as unknown as RowsOf<Queries>, held }
  }

  /** As `read`, in this turn. */
  function readNow<Result>(run: (held: readonly FlushedRow[]) => Result): Result {
    return db.together(() => {
      const isAdded = underway !== null && revision !== null && revisionNow() > revision
      return run([...(isAdded ? [] : (underway?.rows ?? [])), ...counted.values()])
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
      readNow((held) => {
        const today = clock.now() - (clock.now() % dayMs)
        let units = findOne(db, sumUnitsOfDay(keyId, today))?.units ?? 0
        for (const row of held) {
          if (row.keyId === keyId && row.minute >= today) units += row.units
        }
        return units
      }),
    bytesThisMonth: (keyIds) =>
      readNow((held) => {
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
    addFlushed: tell,
    read,
    get failedWrites() {
      return failedWrites
    },
    flush,
    stop,
  }
}

function copyOf(row: UsageRow): FlushedRow {
  return { ...row, latency: row.latency?.slice() ?? null }
}

function startOfMinute(now: number): number {
  return now - (now % minuteMs)
}
