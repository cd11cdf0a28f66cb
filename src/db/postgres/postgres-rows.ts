// `Rows` of PostgreSQL. Each write is a separate transaction. Writes with the same lock run one after another on all machines, so
// that the conditions in `tables/` work as in SQLite, which has one writer. A write whose commit got no reply is looked up by its
// ID, and so applied only once.
// Tested by test/suites/rows.suite.ts through src/db/postgres/postgres-rows.test.ts
import { randomUUID } from 'node:crypto'
import { type Clock, pause } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Query, Rows, RowsOf, WriteLock, WriteOptions } from '../rows.ts'
import { NothingChanged, type SqlValue, type Statement } from '../writer.ts'
import type { Connection, Connections, Outcome, Parameter } from './connections.ts'
import { toManyRows, toPostgres } from './dialect.ts'
import { claimId, insertDone, toRecorded, updateDone } from './done.ts'
import { isConflict, isConnectionLoss, toFault } from './faults.ts'

/** Time limit of one write: no try begins later than this after the first. */
const writeMs = 5000
const conflictsMax = 3
const lossesMax = 8
const conflictMs = 20
/** Rows of an `INSERT` in one statement. */
const rowsAtOnce = 100
const textsMax = 1024
/** How long the ID of a write is stored: an ID set by the caller, and one that only tries within `writeMs` need. */
const requestedIdLife = '1 day'
const generatedIdLife = '10 minutes'
const uuidRegex = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type TextsOf = { readonly sql: string; readonly postgres?: string }
type TextOf = (statement: TextsOf) => string
type Call = { readonly text: string; readonly values: readonly Parameter[] }

/** `life`: how long the ID is stored. */
type Try = {
  readonly statements: readonly Statement[]
  readonly lock: WriteLock
  readonly id: string
  readonly isRepeated: boolean
  readonly life: string
}

/** Numbers of Cairn's advisory locks. */
export const advisoryLocks = {
  migrate: 0x0c41_0001,
  rows: 0x0c41_0002,
  usage: 0x0c41_0003,
} as const

/** `connections`: the caller closes them. */
export function createPostgresRows(connections: Pick<Connections, 'lend'>, clock: Clock): Rows {
  const texts = new Map<string, string>()
  const recordedTexts = new Map<string, string | null>()
  // Two writes per lock are in flight on this machine: one has the lock, and the next waits for it at the server. Further writes
  // must not occupy a connection each while they wait.
  const locked = { rows: createLine(), usage: createLine() }

  function textOf({ sql, postgres = sql }: TextsOf): string {
    const known = texts.get(postgres)
    if (known !== undefined) return known
    if (texts.size >= textsMax) texts.clear()
    const text = toPostgres(postgres)
    texts.set(postgres, text)
    return text
  }

  /** The single statement of a write that records its own ID. Null: several statements, or a statement of another form. */
  function recordedOf(statements: readonly Statement[], id: string, life: string): Call | null {
    const [statement] = statements
    if (statement === undefined || statements.length > 1) return null
    const call = toCall(statement, textOf)
    if (call === null) return null
    const key = `${statement.require} ${call.text}`
    let text = recordedTexts.get(key)
    if (text === undefined) {
      if (recordedTexts.size >= textsMax) recordedTexts.clear()
      text = toRecorded(call.text, call.values.length, statement.require)
      recordedTexts.set(key, text)
    }
    return text === null ? null : { text, values: [...call.values, id, life] }
  }

  async function findIn<Row extends object>(
    connection: Connection,
    one: Query<Row>,
  ): Promise<readonly Row[]> {
    const { rows } = await connection.run(textOf(one), one.parameters)
    return rows as unknown as readonly Row[]
  }

  async function read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await connections.lend(work).catch((error: unknown) => {
        // The server closed the connection while it was idle.
        if (!isConnectionLoss(error)) throw error
        return connections.lend(work)
      })
    } catch (error) {
      throw toFault(error)
    }
  }

  function find<Row extends object>(one: Query<Row>): Promise<readonly Row[]> {
    return read((connection) => findIn(connection, one))
  }

  /** Runs one transaction. `isRepeated`: an earlier one may have been committed with this ID. */
  async function runOnce(
    connection: Connection,
    { statements, lock, id, isRepeated, life }: Try,
  ): Promise<readonly number[]> {
    const recorded = isRepeated ? null : recordedOf(statements, id, life)
    if (recorded !== null) return await runRecorded(connection, recorded, lock)
    let isOpen = true
    try {
      const begun = connection.script(beginOf(lock))
      if (isRepeated) {
        await begun
        const earlier = await claimId(connection, id)
        if (earlier !== null) return earlier
      }
      // Sent together with the first statement: if the lock cannot be acquired, the server refuses the rest of the transaction.
      const [, changes] = await Promise.all([begun, runAll(connection, statements, textOf)])
      const record = isRepeated ? updateDone : insertDone
      // A COMMIT after a failed statement acts as a ROLLBACK.
      await Promise.all([record(connection, id, changes, life), connection.script('COMMIT')])
      isOpen = false
      return changes
    } finally {
      if (isOpen) await endQuietly(connection)
    }
  }

  async function writeOnce(
    statements: readonly Statement[],
    lock: WriteLock,
    requestedId: string | undefined,
  ): Promise<readonly number[]> {
    const id = requestedId ?? randomUUID()
    const life = requestedId === undefined ? generatedIdLife : requestedIdLife
    const endsAt = clock.monotonic() + writeMs
    let isRepeated = requestedId !== undefined
    let conflicts = 0
    let losses = 0
    for (;;) {
      try {
        const one: Try = { statements, lock, id, isRepeated, life }
        return await connections.lend((connection) => runOnce(connection, one))
      } catch (error) {
        const isLate = clock.monotonic() > endsAt
        if (isConflict(error) && conflicts < conflictsMax && !isLate) conflicts += 1
        else if (isConnectionLoss(error) && losses < lossesMax && !isLate) losses += 1
        else throw toFault(error)
        // The commit may have succeeded, so the next try looks up its ID first.
        isRepeated = true
        await pause(conflictMs * 2 ** conflicts * Math.random())
      }
    }
  }

  return {
    find,
    async first(one) {
      const [row] = await find(one)
      return row ?? null
    },
    snapshot: <const Queries extends readonly Query<object>[]>(queries: Queries) =>
      read(async (connection) => {
        try {
          await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
          const found: (readonly object[])[] = []
          for (const one of queries) found.push(await findIn(connection, one))
          return found as unknown as RowsOf<Queries>
        } finally {
          await endQuietly(connection)
        }
      }),
    async write(statements, { id, lock = 'rows' }: WriteOptions = {}) {
      if (id !== undefined && !uuidRegex.test(id)) throw new Error('the ID of a write is a UUID')
      if (lock === 'none') return await writeOnce(statements, lock, id)
      return await locked[lock](() => writeOnce(statements, lock, id))
    },
  }
}

function beginOf(lock: WriteLock): string {
  const locking = lock === 'none' ? '' : `; SELECT pg_advisory_xact_lock(${advisoryLocks[lock]})`
  return `BEGIN ISOLATION LEVEL READ COMMITTED${locking}`
}

/** Runs a transaction of one statement (see `toRecorded`) in one round trip, so the lock is not held during a round trip. */
async function runRecorded(
  connection: Connection,
  { text, values }: Call,
  lock: WriteLock,
): Promise<readonly number[]> {
  const { rows } =
    lock === 'none'
      ? await connection.run(text, values)
      : await runLocked(connection, { text, values }, lock)
  const changed = rows[0]?.['changed']
  if (typeof changed !== 'number') throw new NothingChanged(0)
  return [changed]
}

async function runLocked(
  connection: Connection,
  { text, values }: Call,
  lock: WriteLock,
): Promise<Outcome> {
  // After a failure the server refuses the following statements, and the COMMIT acts as a ROLLBACK: the first failure is the
  // reason.
  const [begun, changed, committed] = await Promise.allSettled([
    connection.script(beginOf(lock)),
    connection.run(text, values),
    connection.script('COMMIT'),
  ])
  if (begun.status === 'rejected') throw begun.reason
  if (changed.status === 'rejected') throw changed.reason
  if (committed.status === 'rejected') throw committed.reason
  return changed.value
}

async function runAll(
  connection: Connection,
  statements: readonly Statement[],
  textOf: TextOf,
): Promise<readonly number[]> {
  const changes: number[] = []
  for (const [index, statement] of statements.entries()) {
    const changed = await runStatement(connection, statement, textOf)
    if (statement.require === 'change' && changed === 0) throw new NothingChanged(index)
    changes.push(changed)
  }
  return changes
}

/** The original error, or the result, is returned; a connection that cannot end its transaction fails at its next use. */
async function endQuietly(connection: Connection): Promise<void> {
  try {
    await connection.script('ROLLBACK')
  } catch {
    // The server itself ends the transaction of a lost connection.
  }
}

async function runStatement(
  connection: Connection,
  statement: Statement,
  textOf: TextOf,
): Promise<number> {
  const call = toCall(statement, textOf)
  if (call !== null) return (await connection.run(call.text, call.values)).changed
  const { sql, parameters, rows = [], postgres } = statement
  if (rows.length === 0 || typeof postgres === 'object') return 0
  const text = textOf(postgres === undefined ? { sql } : { sql, postgres })
  let changed = 0
  const many =
    postgres === undefined && rows.length >= rowsAtOnce ? toManyRows(sql, rowsAtOnce) : null
  for (let at = 0; at < rows.length;) {
    const step = many !== null && rows.length - at >= rowsAtOnce ? rowsAtOnce : 1
    const values = rows.slice(at, at + step).flatMap((row) => [...parameters, ...row])
    changed += (await connection.run(step === 1 || many === null ? text : many, values)).changed
    at += step
  }
  return changed
}

/** A statement that runs once. Null: it has `rows` and so runs for each, or its `rows` are empty. */
function toCall({ sql, parameters, rows, postgres }: Statement, textOf: TextOf): Call | null {
  if (typeof postgres === 'object') {
    const arrays = columnsOf(rows ?? [])
    if (arrays.length === 0) return null
    return { text: textOf({ sql: postgres.unnest }), values: [...parameters, ...arrays] }
  }
  if (rows !== undefined) return null
  return { text: textOf(postgres === undefined ? { sql } : { sql, postgres }), values: parameters }
}

function columnsOf(rows: readonly (readonly SqlValue[])[]): readonly (readonly SqlValue[])[] {
  const [first] = rows
  return first === undefined ? [] : first.map((_, column) => rows.map((row) => row[column] ?? null))
}

const lineMax = 1000

/** Runs at most two tasks at a time, in order. Throws `overloaded` if too many wait. */
function createLine(): <T>(task: () => Promise<T>) => Promise<T> {
  const line: (() => void)[] = []
  let running = 0
  return async (task) => {
    if (line.length >= lineMax) throw new Fault('overloaded')
    if (running === 2) await new Promise<void>((resolve) => line.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = line.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
