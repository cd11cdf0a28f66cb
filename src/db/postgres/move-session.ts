// A connection of `cairn migrate` to PostgreSQL: without time limits, and only one at a time per database.
// Tested by test/cli/migrate.test.ts
import pg from 'pg'
import type { SqlValue } from '../writer.ts'
import { advisoryLocks } from './postgres-rows.ts'
import { rowTypes } from './row-types.ts'

export type MoveSession = {
  /** `parameters`: values, or arrays with one column of many rows each. */
  run<Row extends object>(
    sql: string,
    parameters?: readonly (SqlValue | readonly SqlValue[])[],
  ): Promise<readonly Row[]>
  /** Rolls back an open transaction. */
  close(): Promise<void>
}

/** Node name of this command in `node_lease`. */
export const moverName = 'cairn migrate'

const moveLock = 0x0c41_0005
const connectMs = 10_000

/** Rejects with a sentence if another `cairn migrate` uses this database. Error messages contain no password. */
export async function openMoveSession(url: string): Promise<MoveSession> {
  const client = new pg.Client({
    connectionString: url,
    application_name: moverName,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types: rowTypes,
  })
  // The query rejects anyway.
  client.on('error', () => {})
  await client.connect()
  const session: MoveSession = {
    async run<Row extends object>(
      sql: string,
      parameters: readonly (SqlValue | readonly SqlValue[])[] = [],
    ) {
      const values = [...parameters]
      return (await client.query(sql, values)).rows as readonly Row[]
    },
    close: () => client.end(),
  }
  try {
    const [row] = await session.run<{ taken: number }>('SELECT pg_try_advisory_lock($1) AS taken', [
      moveLock,
    ])
    if (row?.taken !== 1) {
      throw new Error('another cairn migrate uses this database: wait for its end')
    }
    await session.run('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    return session
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Whether a server uses the database, or used it earlier. */
export async function serversOf(session: MoveSession): Promise<'never' | 'earlier' | 'now'> {
  const [row] = await session.run<{ leases: number; live: number }>(
    `SELECT count(*) AS leases, count(*) FILTER (WHERE until > clock_timestamp()) AS live
      FROM node_lease WHERE node <> $1`,
    [moverName],
  )
  if (row === undefined || row.leases === 0) return 'never'
  return row.live > 0 ? 'now' : 'earlier'
}

/** Rejects with a sentence if a server has used the database: a move would delete its rows. */
export async function refuseUsedTarget(session: MoveSession): Promise<void> {
  if ((await serversOf(session)) === 'never') return
  throw new Error(
    'a server has used the database of database.url: name an empty database, and a bucket or prefix of its own',
  )
}

/**
 * Claims the database as the target of a move: an empty one, or one that an earlier run of this command has filled. Rejects with a
 * sentence for any other.
 */
export async function claimTarget(session: MoveSession): Promise<void> {
  await refuseUsedTarget(session)
  await session.run(
    'CREATE TABLE IF NOT EXISTS moved_in (one boolean PRIMARY KEY CHECK (one), began timestamptz NOT NULL)',
  )
  const [row] = await session.run<{ ours: number; filled: number }>(
    `SELECT EXISTS (SELECT 1 FROM moved_in) AS ours, EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM person)
      OR EXISTS (SELECT 1 FROM saved_network) OR EXISTS (SELECT 1 FROM block) AS filled`,
  )
  if (row?.ours === 1) return
  if (row?.filled !== 0) {
    throw new Error(
      'the database of database.url has rows of another server: name an empty database',
    )
  }
  await session.run('INSERT INTO moved_in (one, began) VALUES (true, now())')
}

/**
 * Begins the transaction that reads all rows. Until it ends no server can start, and writes of other commands wait. False: a server
 * uses the database, and no transaction has begun.
 */
export async function beginAlone(session: MoveSession): Promise<boolean> {
  // Before the transaction, whose snapshot is taken by its first query.
  await session.run('SELECT pg_advisory_lock($1), pg_advisory_lock($2)', [
    advisoryLocks.rows,
    advisoryLocks.usage,
  ])
  await session.run('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await session.run('LOCK TABLE node_lease IN EXCLUSIVE MODE')
  if ((await serversOf(session)) !== 'now') return true
  await session.run('ROLLBACK')
  return false
}

/** After a move to a folder: servers refuse the database from then on. Commits the transaction of the rows. */
export async function markMovedAway(session: MoveSession): Promise<void> {
  await session.run(
    'CREATE TABLE IF NOT EXISTS moved_away (moved timestamptz NOT NULL DEFAULT now())',
  )
  await session.run('COMMIT')
}
