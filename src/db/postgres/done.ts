// Table `done`: the IDs of committed writes, each with the number of rows that its statements changed. A write whose commit got no
// reply is looked up there, so that it is applied only once.
// Tested by src/db/postgres/done.test.ts, src/db/postgres/postgres-rows.test.ts
import type { Connection } from './connections.ts'

/**
 * Records the ID of a write in its transaction. Fails if a later try of the write was committed with this ID: the server may have
 * received this try before its connection was lost, and run it afterwards.
 */
export async function insertDone(
  connection: Connection,
  id: string,
  changes: readonly number[],
  life: string,
): Promise<void> {
  await connection.run(insertSql, [id, `{${changes.join(',')}}`, life])
}

const insertSql = `INSERT INTO done (id, changes, until) VALUES ($1, $2, now() + $3::text::interval)`

/** As `insertDone`, after `claimId` in the same transaction. */
export async function updateDone(
  connection: Connection,
  id: string,
  changes: readonly number[],
  life: string,
): Promise<void> {
  await connection.run(updateSql, [id, `{${changes.join(',')}}`, life])
}

const updateSql = `UPDATE done SET changes = $2, until = now() + $3::text::interval WHERE id = $1`

/**
 * The row counts of an earlier transaction with this ID; null: none. Waits for a running transaction to end: the server may not
 * have noticed yet that its connection is lost.
 */
export async function claimId(
  connection: Connection,
  id: string,
): Promise<readonly number[] | null> {
  const { changed } = await connection.run(
    `INSERT INTO done (id, changes, until) VALUES ($1, '{}', now()) ON CONFLICT (id) DO NOTHING`,
    [id],
  )
  if (changed === 1) return null
  const { rows } = await connection.run(
    `SELECT array_to_string(changes, ',') AS changes FROM done WHERE id = $1`,
    [id],
  )
  const changes = rows[0]?.['changes']
  return typeof changes === 'string' && changes !== '' ? changes.split(',').map(Number) : []
}

const changeRegex = /^\s*(?:INSERT|UPDATE|DELETE)\b(?![\s\S]*\bRETURNING\b)/

/**
 * One statement that changes rows as `text` and records the ID as `insertDone` does: a transaction without BEGIN and COMMIT. Its
 * parameters are the `count` parameters of `text`, then the ID and its lifetime; its single row contains the number of changed
 * rows, as `changed`. With `require` it records nothing and returns no row if `text` changes none. Null: the statement has another
 * form.
 */
export function toRecorded(text: string, count: number, require?: 'change'): string | null {
  if (!changeRegex.test(text)) return null
  const condition = require === 'change' ? ' HAVING count(*) > 0' : ''
  return `WITH recorded AS (${text} RETURNING 1)
    INSERT INTO done (id, changes, until)
      SELECT $${count + 1}::uuid, ARRAY[count(*)], now() + $${count + 2}::interval FROM recorded${condition}
      RETURNING changes[1] AS changed`
}
