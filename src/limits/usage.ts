// What was used, by hour, key, face, network, method and outcome: counted in memory, written each second in
// one write. A kill loses at most the last second; a write that fails loses nothing.
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Database } from '../db/sqlite.ts'
import type { SqlValue, Statement, Writer } from '../db/writer.ts'
import { startOfMonth, type Transferred } from './transfer-counts.ts'

/** One finished call. `outcome`: `ok` or the Fault code. */
export type UsedCall = {
  readonly keyId: string
  readonly face: 'rpc' | 'files'
  readonly network: string
  readonly method: string
  readonly outcome: string
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

export type Usage = {
  readonly count: (call: UsedCall) => void
  /** Units charged to a key since 00:00 UTC; what is just being written may count twice, never not at all. */
  readonly unitsToday: (keyId: string) => number
  /** Body bytes of these keys on the file face since the month began, UTC; what is just being written may count twice. */
  readonly bytesThisMonth: (keyIds: readonly string[]) => Transferred
  /** Writes what is counted so far, also what a failed write left; resolves in any case. */
  flush(): Promise<void>
  /** Ends the writing each second; `flush` still works. */
  stop(): void
}

type Row = Omit<UsedCall, 'units' | 'bytesIn' | 'bytesOut'> & {
  readonly hour: number
  requests: number
  units: number
  bytesIn: number
  bytesOut: number
}

const hourMs = 60 * 60 * 1000
const dayHours = 24
const flushPeriodMs = 1000
const rowsMax = 10_000

const upsertSql = `INSERT INTO usage
  (hour, key_id, face, network, method, outcome, requests, units, bytes_in, bytes_out)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, units = units + excluded.units,
    bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out`
const lastUsedSql = `UPDATE api_key SET last_used_day = ?1
  WHERE id = ?2 AND (last_used_day IS NULL OR last_used_day < ?1)`
const transferUpsertSql = `INSERT INTO transfer (key_id, month, bytes_in, bytes_out) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out`
const transferSql =
  'SELECT bytes_in AS up, bytes_out AS down FROM transfer WHERE key_id = ? AND month = ?'
// One seek per hour in the primary key, instead of a scan over all keys of the day.
const todaySql = `SELECT total(units) AS units FROM usage
  WHERE hour IN (${Array.from({ length: dayHours }, () => '?').join(', ')}) AND key_id = ?`

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
  const counted = new Map<string, Row>()
  // Key id -> method -> the row counted last: most calls find theirs without spelling its whole name.
  const lately = new Map<string, Map<string, Row>>()
  let underway: readonly Row[] = []
  let flushing: Promise<void> | null = null
  let lost = 0

  function findLately(call: UsedCall, hour: number): Row | null {
    const row = lately.get(call.keyId)?.get(call.method)
    const same =
      row !== undefined &&
      row.outcome === call.outcome &&
      row.face === call.face &&
      row.network === call.network &&
      row.hour === hour
    return same ? row : null
  }

  function noteLately(row: Row | undefined): void {
    if (row === undefined) return
    const methods = lately.get(row.keyId) ?? new Map<string, Row>()
    methods.set(row.method, row)
    lately.set(row.keyId, methods)
  }

  function add(row: Row): void {
    const known = find(row) ?? (counted.size < most ? null : find({ ...row, method: 'other' }))
    if (known !== null) addTo(known, row, row.requests)
    else if (counted.size < most) counted.set(keyOf(row), row)
    else if (counted.size < 2 * most) {
      const other = { ...row, method: 'other' }
      counted.set(keyOf(other), other)
    } else lost += row.requests
  }

  function find(row: Row): Row | null {
    return counted.get(keyOf(row)) ?? null
  }

  async function writeOnce(): Promise<void> {
    if (lost > 0) log('error', 'usage_lost', { requests: lost })
    lost = 0
    if (counted.size === 0) return
    underway = [...counted.values()]
    counted.clear()
    lately.clear()
    try {
      await writer.write(underway.flatMap(toStatements))
    } catch (error) {
      log('error', 'usage_not_written', { rows: underway.length, error })
      const unwritten = underway
      underway = []
      for (const row of unwritten) add(row)
    }
    underway = []
  }

  async function flush(): Promise<void> {
    while (flushing !== null) await flushing
    flushing = writeOnce().finally(() => (flushing = null))
    await flushing
  }

  const stop = clock.every(flushPeriodMs, () => {
    // A slow disk: what is counted meanwhile goes with the next write.
    if (flushing === null) void flush()
  })

  return {
    count(call) {
      const hour = hourOf(clock.now())
      const known = findLately(call, hour)
      if (known !== null) return addTo(known, call, 1)
      const row = { hour, ...call, requests: 1 }
      add(row)
      noteLately(counted.get(keyOf(row)))
    },
    unitsToday(keyId) {
      const hours = hoursOfDay(clock.now())
      let units = db.get<{ units: number }>(todaySql, [...hours, keyId])?.units ?? 0
      for (const row of [...underway, ...counted.values()]) {
        if (row.keyId === keyId && hours.includes(row.hour)) units += row.units
      }
      return units
    },
    bytesThisMonth(keyIds) {
      const month = startOfMonth(clock.now())
      const sums = { up: 0, down: 0 }
      for (const keyId of keyIds) {
        const written = db.get<{ up: number; down: number }>(transferSql, [keyId, month])
        sums.up += written?.up ?? 0
        sums.down += written?.down ?? 0
      }
      for (const row of [...underway, ...counted.values()]) {
        if (row.face !== 'files' || row.hour < month || !keyIds.includes(row.keyId)) continue
        sums.up += row.bytesIn
        sums.down += row.bytesOut
      }
      return sums
    },
    flush,
    stop,
  }
}

type Sums = Pick<Row, 'units' | 'bytesIn' | 'bytesOut'>

function addTo(row: Row, more: Sums, requests: number): void {
  row.requests += requests
  row.units += more.units
  row.bytesIn += more.bytesIn
  row.bytesOut += more.bytesOut
}

function keyOf({ hour, keyId, face, network, method, outcome }: Row): string {
  return `${hour}\n${keyId}\n${face}\n${network}\n${method}\n${outcome}`
}

function toStatements(row: Row, index: number, rows: readonly Row[]): readonly Statement[] {
  const { hour, keyId, face, network, method, outcome, requests, units, bytesIn, bytesOut } = row
  const values: SqlValue[] = [hour, keyId, face, network, method, outcome]
  const upsert = { sql: upsertSql, parameters: [...values, requests, units, bytesIn, bytesOut] }
  const moved: readonly Statement[] =
    face === 'files' && bytesIn + bytesOut > 0
      ? [{ sql: transferUpsertSql, parameters: [keyId, startOfMonth(hour), bytesIn, bytesOut] }]
      : []
  if (rows[index - 1]?.keyId === keyId) return [upsert, ...moved]
  const day = new Date(hour).toISOString().slice(0, 10)
  return [upsert, ...moved, { sql: lastUsedSql, parameters: [day, keyId] }]
}

function hourOf(now: number): number {
  return now - (now % hourMs)
}

function hoursOfDay(now: number): readonly number[] {
  const start = now - (now % (dayHours * hourMs))
  return Array.from({ length: dayHours }, (_, hour) => start + hour * hourMs)
}
