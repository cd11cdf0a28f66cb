// Moves all rows of accounts, people, usage and files between `cairn.db` and PostgreSQL, in one transaction of the target. Rows
// that an earlier run wrote to the target are replaced; keys are unchanged. Triggers do not run, because the sums move as rows.
// `block` gets the locations of the copies at the target; a block without a copy has segment 0 until it is stored again.
// Tested by test/cli/migrate.test.ts
import { iterate } from '../sqlite-rows.ts'
import type { Database } from '../sqlite.ts'
import {
  compareCounts,
  compareStorage,
  movedRowsAtOnce,
  movedTables,
  placesSql,
  type Recount,
  type StorageRow,
  storageSql,
} from '../moved-tables.ts'
import { query } from '../rows.ts'
import type { SqlValue } from '../writer.ts'
import { type MoveSession, refuseUsedTarget } from './move-session.ts'

type Row = Readonly<Record<string, SqlValue>>
type Column = { readonly name: string; readonly type: string }
/** `before`: called with each table before its rows are copied. */
type Copy = {
  readonly session: MoveSession
  readonly db: Database
  readonly before: (table: string) => void | Promise<void>
}

const identities = ['block', 'root', 'account_storage', 'releasing', 'lease', 'collection']
const all = [...movedTables, 'block']
const blockColumns = ['id', 'hash', 'size', 'created']

/** In PostgreSQL's column order. */
async function columnsOf(session: MoveSession, table: string): Promise<readonly Column[]> {
  return await session.run<Column>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  )
}

const countSql = (table: string): string => `SELECT count(*) AS rows FROM ${table}`
const lostSql = 'SELECT count(*) AS rows FROM block WHERE file <= 0'

type Counted = { readonly rows: number }

async function countRemote(session: MoveSession): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of all)
    counts[table] = (await session.run<Counted>(countSql(table)))[0]?.rows ?? 0
  return counts
}

function countLocal(db: Database): Record<string, number> {
  return Object.fromEntries(
    all.map((table) => [table, db.get<Counted>(countSql(table))?.rows ?? 0]),
  )
}

/**
 * `db`: in a transaction, whose state is copied. Commits in PostgreSQL if both ends agree; otherwise rejects with a sentence, and
 * the target is unchanged.
 */
export async function moveRowsToPostgres({ session, db, before }: Copy): Promise<Recount> {
  await session.run('BEGIN')
  try {
    // A server that starts now waits, and then finds the rows.
    await session.run('LOCK TABLE node_lease IN EXCLUSIVE MODE')
    // One may have started while the blocks were copied.
    await refuseUsedTarget(session)
    await session.run(placesSql)
    await session.run('CREATE UNIQUE INDEX moved_place_hash ON moved_place (hash)')
    await session.run('ANALYZE moved_place')
    await session.run(`TRUNCATE ${all.join(', ')}`)
    for (const table of all) await session.run(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
    for (const table of movedTables) {
      await before(table)
      const columns = await columnsOf(session, table)
      const names = columns.map(({ name }) => name).join(', ')
      const types = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
      await insertAll(
        session,
        `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${types})`,
        localRows(
          db,
          table,
          columns.map(({ name }) => name),
        ),
      )
    }
    await before('block')
    await insertAll(
      session,
      `INSERT INTO block (id, hash, size, created, file, at, bytes, form)
        SELECT new.*, coalesce(place.file, 0), coalesce(place.at, 0), coalesce(place.bytes, 0), coalesce(place.form, 0)
        FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[]) AS new (id, hash, size, created)
        LEFT JOIN moved_place AS place ON place.hash = new.hash`,
      localRows(db, 'block', blockColumns),
    )
    for (const table of all) await session.run(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
    for (const table of identities) {
      await session.run(
        `SELECT setval(pg_get_serial_sequence('${table}', 'id'), coalesce(max(id), 0) + 1, false) FROM ${table}`,
      )
    }
    await session.run(`SELECT setval('audit_id', coalesce(max(id), 0) + 1, false) FROM audit`)
    await session.run('UPDATE revision SET number = number + 1')
    const rows = await countRemote(session)
    compareCounts(countLocal(db), rows)
    const storage = compareStorage(
      db.all<StorageRow>(storageSql),
      await session.run<StorageRow>(storageSql),
    )
    const [lost] = await session.run<Counted>(lostSql)
    await session.run('DROP TABLE moved_place')
    // The rows are those of this database again.
    await session.run('DROP TABLE IF EXISTS moved_away')
    await before('commit')
    await session.run('COMMIT')
    await session.run('ANALYZE')
    return { rows, ...storage, lost: lost?.rows ?? 0 }
  } catch (error) {
    await session.run('ROLLBACK').catch(() => {})
    throw error
  }
}

function localRows(db: Database, table: string, columns: readonly string[]): Iterable<Row> {
  return iterate(db, query<Row>(`SELECT ${columns.join(', ')} FROM ${table}`))
}

/** `sql`: takes one array per column. */
async function insertAll(session: MoveSession, sql: string, rows: Iterable<Row>): Promise<void> {
  let batch: Row[] = []
  const insert = async (): Promise<void> => {
    const [first] = batch
    if (first === undefined) return
    const columns = Object.keys(first).map((name) => batch.map((row) => row[name] ?? null))
    batch = []
    await session.run(sql, columns)
  }
  for (const row of rows) {
    batch.push(row)
    if (batch.length >= movedRowsAtOnce) await insert()
  }
  await insert()
}

/** As `moveRowsToPostgres`, from one state of PostgreSQL. The transaction of `session` remains open. */
export async function moveRowsToSqlite({ session, db, before }: Copy): Promise<Recount> {
  db.exec('BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON')
  try {
    const triggers = takeTriggers(db)
    db.exec(placesSql)
    db.exec('CREATE UNIQUE INDEX moved_place_hash ON moved_place (hash)')
    for (const table of all.toReversed()) db.exec(`DELETE FROM ${table}`)
    for (const table of movedTables) {
      await before(table)
      const columns = (await columnsOf(session, table)).map(({ name }) => name)
      const values = columns.map(() => '?').join(', ')
      const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`
      for await (const row of remoteRows(session, table, columns)) {
        db.run(insert, Object.values(row))
      }
    }
    await before('block')
    const insert = `INSERT INTO block (id, hash, size, created, file, at, bytes, form)
      SELECT new.*, coalesce(place.file, 0), coalesce(place.at, 0), coalesce(place.bytes, 0), coalesce(place.form, 0)
        FROM (SELECT ? AS id, ? AS hash, ? AS size, ? AS created) AS new
        LEFT JOIN moved_place AS place ON place.hash = new.hash`
    for await (const row of remoteRows(session, 'block', blockColumns)) {
      db.run(insert, Object.values(row))
    }
    db.exec('DROP TABLE moved_place')
    for (const sql of triggers) db.exec(sql)
    db.exec('UPDATE revision SET number = number + 1')
    const rows = countLocal(db)
    compareCounts(await countRemote(session), rows)
    const storage = compareStorage(
      await session.run<StorageRow>(storageSql),
      db.all<StorageRow>(storageSql),
    )
    const lost = db.get<Counted>(lostSql)?.rows ?? 0
    await before('commit')
    db.exec('COMMIT')
    return { rows, ...storage, lost }
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Drops the triggers of the moved tables, and returns the statements that recreate them. */
function takeTriggers(db: Database): readonly string[] {
  const found = db.all<{ readonly name: string; readonly tbl_name: string; readonly sql: string }>(
    `SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger'`,
  )
  const moved = found.filter(({ tbl_name: table }) => all.includes(table))
  for (const { name } of moved) db.exec(`DROP TRIGGER ${name}`)
  return moved.map(({ sql }) => sql)
}

async function* remoteRows(
  session: MoveSession,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Row> {
  await session.run(
    `DECLARE moved_rows NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table}`,
  )
  for (;;) {
    const rows = await session.run<Row>(`FETCH ${movedRowsAtOnce} FROM moved_rows`)
    yield* rows
    if (rows.length < movedRowsAtOnce) break
  }
  await session.run('CLOSE moved_rows')
}
