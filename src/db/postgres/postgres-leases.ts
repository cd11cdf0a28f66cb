// `Leases` as rows of PostgreSQL, by the clock of the database. A holder renews its row; if it cannot, because the database is
// unreachable or the process was stopped, it ends its work before the row expires.
// Tested by test/suites/leases.suite.ts through src/db/postgres/postgres-leases.test.ts
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { ActiveLease, Leases } from '../../base/leases.ts'
import type { Statement } from '../writer.ts'
import type { Connections } from './connections.ts'

type LeaseTimes = {
  /** Lifetime of a row without a renewal. */
  readonly lifeMs: number
  /** Interval of renewals, and of tries to acquire the lease. */
  readonly periodMs: number
}

const usualTimes: LeaseTimes = { lifeMs: 15_000, periodMs: 3000 }
/** A holder that cannot renew stops after this share of the lifetime since its last renewal. */
const endShare = 0.7

const takeSql = `INSERT INTO leadership (name, holder, token, until)
  VALUES ($1, $2, 1, clock_timestamp() + $3::bigint * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = leadership.token + 1, until = excluded.until
  WHERE leadership.until <= clock_timestamp() RETURNING token`
const renewSql = `UPDATE leadership SET until = clock_timestamp() + $3::bigint * interval '1 millisecond'
  WHERE name = $1 AND holder = $2 AND until > clock_timestamp()`
const giveUpSql = 'UPDATE leadership SET until = clock_timestamp() WHERE name = $1 AND holder = $2'

/**
 * The first statement of a holder's write: fails with `NothingChanged` if another process has acquired the lease since, and
 * prevents others from acquiring it until the write ends.
 */
export function fence(name: string, token: bigint): Statement {
  return {
    sql: 'UPDATE leadership SET token = token WHERE name = ? AND token = ?',
    parameters: [name, token],
    require: 'change',
  }
}

type Parts = {
  readonly connections: Pick<Connections, 'lend'>
  readonly clock: Clock
  /** Errors of `run`, or of the database. */
  readonly onError: (name: string, error: unknown) => void
  readonly times?: LeaseTimes
}

export function createPostgresLeases(parts: Parts): Leases {
  return { hold: (name, run) => holdOne(parts, name, run) }
}

function holdOne(
  { connections, clock, onError, times = usualTimes }: Parts,
  name: string,
  run: (lease: ActiveLease) => Promise<void>,
): () => Promise<void> {
  const { lifeMs, periodMs } = times
  const stopping = new AbortController()
  let wake = (): void => {}

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      wake = () => {
        cancel()
        resolve()
      }
      if (stopping.signal.aborted) wake()
    })
  }

  /** Null: another process holds it. */
  async function take(holder: string): Promise<bigint | null> {
    const { rows } = await connections.lend((one) => one.run(takeSql, [name, holder, lifeMs]))
    const token = rows[0]?.['token']
    return typeof token === 'number' ? BigInt(token) : null
  }

  async function renew(holder: string): Promise<boolean> {
    const { changed } = await connections.lend((one) => one.run(renewSql, [name, holder, lifeMs]))
    return changed === 1
  }

  /** Renews until a renewal fails, `run` has ended, or everything stops. Aborts `ending` in each case. */
  async function renewUntilEnd(
    holder: string,
    ending: AbortController,
    takenAt: number,
  ): Promise<void> {
    let cancelEnd = (): void => {}
    const endAfter = (from: number): void => {
      cancelEnd()
      const remainingMs = from + endShare * lifeMs - clock.monotonic()
      cancelEnd = clock.after(Math.max(0, remainingMs), () => ending.abort())
    }
    endAfter(takenAt)
    ending.signal.addEventListener('abort', () => wake(), { once: true })
    while (!ending.signal.aborted && !stopping.signal.aborted) {
      await sleep(periodMs)
      if (ending.signal.aborted || stopping.signal.aborted) break
      const began = clock.monotonic()
      try {
        if (!(await renew(holder))) break
        endAfter(began)
      } catch (error) {
        // The next renewal may succeed before the lease ends.
        onError(name, error)
      }
    }
    cancelEnd()
    ending.abort()
  }

  async function holdOnce(): Promise<void> {
    // A new ID each time, so that a late renewal cannot renew a later lease.
    const holder = randomUUID()
    const began = clock.monotonic()
    const token = await take(holder)
    if (token === null) return
    const ending = new AbortController()
    const renewing = renewUntilEnd(holder, ending, began)
    try {
      await run({ token, signal: ending.signal })
    } catch (error) {
      onError(name, error)
    }
    ending.abort()
    await renewing
    await connections.lend((one) => one.run(giveUpSql, [name, holder]))
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await holdOnce()
      } catch (error) {
        if (!stopping.signal.aborted) onError(name, error)
      }
      if (!stopping.signal.aborted) await sleep(periodMs * (0.75 + Math.random() / 2))
    }
  }

  const looping = loop()
  return async () => {
    stopping.abort()
    wake()
    await looping
  }
}
