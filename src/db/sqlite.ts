// The only importer of node:sqlite (its API is not yet labelled stable). One connection with prepared statements; returns rows as
// plain objects, BLOBs as Uint8Array, device and size errors as Faults.
import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { Fault } from '../base/fault.ts'
import type { SqlValue } from './writer.ts'

export type DatabaseOptions = {
  readonly readOnly?: boolean
  /** Size limit of the main database file; a write beyond it throws `no_space`. Holds per connection. */
  readonly bytesMax?: number
  /** Leaves the journal mode unchanged and does not wait for locks: for lock files. */
  readonly bare?: boolean
}

/**
 * Shapes of rows (`Shape`) are the caller's claim about its SQL. All methods are synchronous and throw Fault `no_space` (device or
 * size limit full, write or sync failed), `damaged` (read failed), `overloaded` (locked by another process for 10 s), or the error
 * of node:sqlite.
 */
export type Database = {
  get<Shape extends object>(sql: string, parameters?: readonly SqlValue[]): Shape | null
  /** The first column of the first row, without creating an object; null if there is no row. */
  getValue<Value extends SqlValue>(sql: string, parameters?: readonly SqlValue[]): Value | null
  /** The first row as an array of its columns; null if there is no row. */
  getRow<Row extends readonly SqlValue[]>(sql: string, parameters?: readonly SqlValue[]): Row | null
  all<Shape extends object>(sql: string, parameters?: readonly SqlValue[]): Shape[]
  /** Runs one statement; returns the number of rows it changed. */
  run(sql: string, parameters?: readonly SqlValue[]): number
  /** Holds a read transaction open until the loop ends. */
  iterate<Shape extends object>(sql: string, parameters?: readonly SqlValue[]): Iterable<Shape>
  /** Runs `read` on one state of the database. Without it, each read acquires and releases a lock. */
  together<T>(read: () => T): T
  /** Runs a script without parameters. */
  exec(script: string): void
  readonly inTransaction: boolean
  /** Changes when another connection has changed the database; does not read the database. */
  dataVersion(): number
  /** Drops the cached pages: the next read of each page comes from disk. */
  forgetPages(): void
  close(): void
}

const statementsMax = 256
const busyTimeoutMs = 10_000
const journalBytesMax = 200 * 1024 * 1024
/** For a connection that writes: rows of an index by hash are at random places, so its pages must stay in memory. */
const cacheKibibytes = 32 * 1024
/** 16 MiB in pages of 4 KiB: a page that is written repeatedly is copied to the database only once. */
const checkpointPages = 4096

/** A new file is readable only by its owner; SQLite gives `-wal` and `-shm` the mode of the database. */
function makePrivate(path: string): void {
  translated(() => closeSync(openSync(path, 'a', 0o600)))
}

/** Opens or creates the database at `path`. WAL, synchronous=FULL: a returned commit is on disk. */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const { readOnly = false, bytesMax, bare = false } = options
  if (!readOnly && path !== ':memory:') makePrivate(path)
  const connection = translated(() => new DatabaseSync(path, { readOnly }))
  const statements = new Map<string, StatementSync>()
  const valueStatements = new Map<string, StatementSync>()

  function prepared(sql: string): StatementSync {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= statementsMax) statements.clear()
    const statement = connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  /** The statement returns rows as arrays, so no other method may use it. */
  function preparedForValues(sql: string): StatementSync {
    const known = valueStatements.get(sql)
    if (known !== undefined) return known
    if (valueStatements.size >= statementsMax) valueStatements.clear()
    const statement = connection.prepare(sql)
    statement.setReturnArrays(true)
    valueStatements.set(sql, statement)
    return statement
  }

  const database: Database = {
    get: <Shape extends object>(sql: string, parameters: readonly SqlValue[] = []) =>
      translated(() => {
        const row = prepared(sql).get(...parameters)
        return row === undefined ? null : ({ ...row } as Shape)
      }),
    getValue: <Value extends SqlValue>(sql: string, parameters: readonly SqlValue[] = []) => {
      try {
        const row = preparedForValues(sql).get(...parameters) as readonly unknown[] | undefined
        return row === undefined ? null : (row[0] as Value)
      } catch (error) {
        throw translate(error)
      }
    },
    getRow: <Row extends readonly SqlValue[]>(sql: string, parameters: readonly SqlValue[] = []) =>
      translated(
        () => (preparedForValues(sql).get(...parameters) as unknown as Row | undefined) ?? null,
      ),
    all: <Shape extends object>(sql: string, parameters: readonly SqlValue[] = []) =>
      translated(() =>
        prepared(sql)
          .all(...parameters)
          .map((row) => ({ ...row }) as Shape),
      ),
    run: (sql, parameters = []) =>
      translated(() => Number(prepared(sql).run(...parameters).changes)),
    *iterate<Shape extends object>(sql: string, parameters: readonly SqlValue[] = []) {
      // Not a cached statement, because reusing it inside the loop would restart the loop.
      const rows = translated(() => connection.prepare(sql).iterate(...parameters))
      for (const row of rows) yield { ...row } as Shape
    },
    together(read) {
      if (connection.isTransaction) return read()
      translated(() => prepared('BEGIN').run())
      try {
        return read()
      } finally {
        // A disk error ends the transaction by itself.
        if (connection.isTransaction) translated(() => prepared('COMMIT').run())
      }
    },
    exec: (script) => translated(() => connection.exec(script)),
    get inTransaction() {
      return connection.isOpen && connection.isTransaction
    },
    dataVersion: () => Number(prepared('PRAGMA data_version').get()?.['data_version']),
    forgetPages: () => translated(() => connection.exec('PRAGMA shrink_memory')),
    close() {
      statements.clear()
      valueStatements.clear()
      if (connection.isOpen) connection.close()
    },
  }

  try {
    if (!bare) configure(database, { readOnly, bytesMax })
  } catch (error) {
    database.close()
    throw isDamage(error) ? damaged(path, error) : error
  }
  return database
}

/** Pages of one step of a copy: 8 MiB in pages of 4 KiB. */
const copiedPages = 2048

/**
 * Copies the current committed state to a new file, which is synced when it resolves. Writers on other connections continue, and
 * their changes are not in the copy; the WAL grows until it ends. A thread of Node copies the pages. `onPages`: called after each
 * step. Throws `signal.reason` between two steps, and the errors of `Database`.
 */
export async function copyDatabase(
  from: string,
  to: string,
  {
    signal,
    onPages = () => {},
  }: { readonly signal: AbortSignal; readonly onPages?: (left: number, all: number) => void },
): Promise<void> {
  signal.throwIfAborted()
  makePrivate(to)
  const connection = translated(() => new DatabaseSync(from, { readOnly: true }))
  try {
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    // An open read on this connection: without it each write on another connection would restart the copy.
    connection.exec('BEGIN')
    connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
    await backup(connection, to, {
      rate: copiedPages,
      progress({ remainingPages, totalPages }) {
        signal.throwIfAborted()
        onPages(remainingPages, totalPages)
      },
    })
  } catch (error) {
    signal.throwIfAborted()
    throw translate(error)
  } finally {
    connection.close()
  }
}

function configure(
  database: Database,
  { readOnly, bytesMax }: { readOnly: boolean; bytesMax: number | undefined },
): void {
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA foreign_keys = ON`)
  if (readOnly) return
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${journalBytesMax};
     PRAGMA cache_size = -${cacheKibibytes}; PRAGMA wal_autocheckpoint = ${checkpointPages}`,
  )
  if (bytesMax === undefined) return
  const { page_size: pageSize } = database.get<{ page_size: number }>('PRAGMA page_size') ?? {
    page_size: 4096,
  }
  database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(bytesMax / pageSize))}`)
}

// Primary result codes of sqlite3.h: the low byte of the extended code in Node's `errcode`.
const sqliteBusy = 5
const sqliteIoError = 10
const sqliteFull = 13
const sqliteCorrupt = 11
const sqliteNotADatabase = 26
// SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC
const syncErrors: readonly number[] = [1034, 1290]
// SQLITE_IOERR_READ, _SHORT_READ, _MMAP, _DATA, _CORRUPTFS (a read that failed with EIO)
const readErrors: readonly number[] = [266, 522, 6154, 8202, 8458]

function translated<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw translate(error)
  }
}

function translate(error: unknown): unknown {
  const code = errorCode(error)
  if (code === null || !(error instanceof Error)) return error
  if (readErrors.includes(code)) {
    return new Fault('damaged', {
      detail: `cannot read the database: ${error.message}`,
      cause: error,
    })
  }
  const primary = code & 0xff
  if (primary === sqliteFull || primary === sqliteIoError) {
    return new Fault('no_space', { cause: error })
  }
  return primary === sqliteBusy ? new Fault('overloaded', { cause: error }) : error
}

function errorCode(error: unknown): number | null {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null
  return typeof code === 'number' ? code : null
}

function isDamage(error: unknown): error is Error {
  const primary = (errorCode(error) ?? 0) & 0xff
  return primary === sqliteCorrupt || primary === sqliteNotADatabase
}

function damaged(path: string, cause: Error): Error {
  return new Error(`${path} is damaged (${cause.message}): run cairn doctor for a fix`, {
    cause,
  })
}

/** The device failed to sync: data since the last successful sync may be lost, so writing must stop. */
export function isSyncFailure(error: unknown): boolean {
  const cause = error instanceof Fault ? error.cause : error
  const code = errorCode(cause)
  return code !== null && syncErrors.includes(code)
}
