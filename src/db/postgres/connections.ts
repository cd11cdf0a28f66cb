// Connections to PostgreSQL: limits the number of connections and of waiting callers, and waits with increasing delays while the
// server cannot be reached. A server that accepts no writes counts as unreachable.
// Tested by src/db/postgres/connections.test.ts, src/db/postgres/postgres-rows.test.ts
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import pg from 'pg'
import { type Clock, pause } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { SqlValue } from '../writer.ts'
import { away, isConnectionLoss } from './faults.ts'
import { rowTypes } from './row-types.ts'

/** A value of a statement, or the values of one column of its rows. */
export type Parameter = SqlValue | readonly SqlValue[]

/** Calls may be made before earlier ones have resolved: the server runs them in order. */
export type Connection = {
  /** `changed`: number of rows that the statement changed. */
  run(sql: string, parameters: readonly Parameter[]): Promise<Outcome>
  /**
   * Runs statements without parameters in one round trip; the outcome is that of the last one. `within`: time limit in
   * milliseconds, if the statements set another `statement_timeout` than the connection's.
   */
  script(sql: string, within?: number): Promise<Outcome>
}

export type Outcome = {
  readonly rows: readonly Record<string, unknown>[]
  readonly changed: number
}

export type Connections = {
  /** Lends a connection. Throws `overloaded` if none is free or can be opened in time, or the error of `work`. */
  lend<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** For sessions that stay open. The caller closes it. Throws the errors of `pg`. */
  open(): Promise<pg.Client>
  /** Number of callers that wait for a connection. */
  readonly pending: number
  /** From now on, all callers together wait at most `ms` for a server that cannot be reached: a stop writes several times. */
  limitWaits(ms: number): void
  close(): Promise<void>
}

const statementMsMax = 5000
/** A connection without a reply this long after the server's time limit is unusable. */
const replyLateMs = 2000
/** Maximum time that a caller waits for a connection. */
const connectMs = 5000
const waitMs = 100
/** Including jitter at most `connectMs`, so that each caller tries at least once. */
const waitMsMax = 4000
const pendingMax = 1000
/** Maximum number of prepared statements of one connection. Others are parsed each time. */
const preparedMax = 512

/** A part of a `pg` client that its types omit. */
type Wired = { readonly connection: { readonly stream: Writable } }

/** Combines the data sent in one turn into one write: a BEGIN with the first statement, a COMMIT with the last. */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as Wired).connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Without a listener an error of a lent connection would end the process; its query rejects anyway. */
const ignoreLoss = (): void => {}

export function createConnections(parts: {
  readonly url: string
  readonly size: number
  readonly clock: Clock
  /** Time limit of a statement. */
  readonly statementMs?: number
  /** Called when an idle connection failed. */
  readonly onLoss?: (error: unknown) => void
}): Connections {
  const { url, size, clock, statementMs = statementMsMax, onLoss = () => {} } = parts
  const replyMs = statementMs + replyLateMs
  const options: pg.ClientConfig = {
    connectionString: url,
    application_name: 'cairn',
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: replyMs,
    query_timeout: replyMs,
    keepAlive: true,
    // Sends statements before earlier replies arrive, which saves round trips.
    pipeline: true,
    types: rowTypes,
  }
  const pool = new pg.Pool({ ...options, max: size, idleTimeoutMillis: 30_000 })
  pool.on('error', onLoss)
  const prepared = new Map<string, string>()
  const checked = new WeakSet<object>()
  let pending = 0
  let pauseMs = 0
  let awayUntil = 0
  let awayBecause: unknown = null
  let waitsEndAt = Number.POSITIVE_INFINITY

  function nameOf(sql: string): string | null {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= preparedMax) return null
    const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24)
    prepared.set(sql, name)
    return name
  }

  function noteLoss(error: unknown): void {
    awayBecause = error
    // Several callers failed at the same time.
    if (clock.monotonic() < awayUntil) return
    pauseMs = Math.min(pauseMs === 0 ? waitMs : 2 * pauseMs, waitMsMax)
    awayUntil = clock.monotonic() + pauseMs * (0.75 + Math.random() / 2)
  }

  async function connectOnce(): Promise<pg.PoolClient> {
    const client = await pool.connect()
    client.on('error', ignoreLoss)
    if (checked.has(client)) return client
    try {
      await prepareSession(client)
      checked.add(client)
      return client
    } catch (error) {
      release(client, true)
      throw error
    }
  }

  function release(client: pg.PoolClient, broken: boolean): void {
    client.off('error', ignoreLoss)
    client.release(broken)
  }

  /** Waits for the end of a shared pause, so that a starting server is not overloaded. */
  async function connect(): Promise<pg.PoolClient> {
    const endsAt = clock.monotonic() + connectMs
    for (;;) {
      const pausedMs = Math.max(0, awayUntil - clock.monotonic())
      if (awayBecause !== null && clock.monotonic() + pausedMs >= Math.min(endsAt, waitsEndAt)) {
        throw away(awayBecause)
      }
      if (pausedMs > 0) await pause(pausedMs)
      try {
        const client = await connectOnce()
        pauseMs = 0
        awayUntil = 0
        awayBecause = null
        return client
      } catch (error) {
        // All connections are lent, so the server is reachable.
        if (isPoolTimeout(error)) throw new Fault('overloaded', { cause: error })
        if (!isConnectionLoss(error)) throw error
        noteLoss(error)
      }
    }
  }

  async function lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (pending >= pendingMax) throw new Fault('overloaded')
    pending += 1
    const client = await connect().finally(() => (pending -= 1))
    let broken = false
    try {
      return await work({
        async run(sql, parameters) {
          const name = nameOf(sql)
          const values = [...parameters]
          sendTogether(client)
          return toOutcome(
            await client.query(name === null ? { text: sql, values } : { name, text: sql, values }),
          )
        },
        async script(sql, within = replyMs) {
          sendTogether(client)
          const one = { text: sql, query_timeout: within }
          const replies = (await client.query(one)) as pg.QueryResult | pg.QueryResult[]
          const last = Array.isArray(replies) ? replies.at(-1) : replies
          if (last === undefined) throw new Error('a script without a reply')
          return toOutcome(last)
        },
      })
    } catch (error) {
      broken = isConnectionLoss(error)
      throw error
    } finally {
      release(client, broken)
    }
  }

  return {
    lend,
    async open() {
      const client = new pg.Client({
        ...options,
        pipeline: false,
        statement_timeout: 0,
        query_timeout: replyMs,
      })
      await client.connect()
      return client
    },
    get pending() {
      return pending
    },
    limitWaits(ms) {
      waitsEndAt = clock.monotonic() + ms
    },
    close: () => pool.end(),
  }
}

function toOutcome({ rows, rowCount }: pg.QueryResult): Outcome {
  return { rows: rows as Record<string, unknown>[], changed: rowCount ?? 0 }
}

/** Refuses a standby. A statement without BEGIN runs with the same settings as one after the BEGIN of `postgres-rows.ts`. */
async function prepareSession(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ standby: number }>(
    `SELECT pg_is_in_recovery() AS standby, set_config('default_transaction_isolation', 'read committed', false)`,
  )
  if (rows[0]?.standby !== 1) return
  throw Object.assign(new Error('this PostgreSQL is a standby, which takes no writes'), {
    code: '25006',
  })
}

function isPoolTimeout(error: unknown): boolean {
  return (
    error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')
  )
}
