// Finds damage in the database. Tables and indexes are checked one after another, each in a separate read, so that no read delays
// the WAL checkpoint for long. A damage states its table, whose indexes can be rebuilt.
// Tested by src/db/integrity.test.ts
import type { Database } from './sqlite.ts'
import type { Statement } from './writer.ts'

/** `text`: SQLite's message, or a sentence. */
export type Damage = { readonly table: string; readonly text: string }

/** Maximum number of damages of one table. */
const damagesMax = 10

/**
 * `quick`: checks pages and their order, and the count of pins; otherwise each entry of each index is compared too. Reads the whole
 * database, so it must not run on a thread that answers requests.
 */
export function* checkIntegrity(db: Database, quick: boolean): Generator<Damage> {
  let tables: readonly { readonly name: string }[]
  try {
    tables = db.all(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
  } catch (error) {
    yield { table: 'sqlite_schema', text: messageOf(error) }
    return
  }
  for (const { name } of tables) yield* checkTable(db, name, quick)
  if (tables.some(({ name }) => name === 'pin')) yield* checkPins(db)
}

/** Rebuilds the indexes of a damaged table from its rows. */
export function rebuildIndexes(table: string): Statement {
  return { sql: `REINDEX "${table}"`, parameters: [] }
}

function* checkTable(db: Database, table: string, quick: boolean): Generator<Damage> {
  try {
    const check = quick ? 'quick_check' : 'integrity_check'
    const rows = db.all<Record<string, string>>(`PRAGMA ${check}("${table}")`)
    for (const row of rows.slice(0, damagesMax)) {
      const text = Object.values(row)[0] ?? 'no answer'
      if (text !== 'ok') yield { table, text }
    }
  } catch (error) {
    yield { table, text: messageOf(error) }
  }
}

// No index contains `mode`, so this reads the table itself.
const scanSql = 'SELECT account_id AS id, mode FROM pin NOT INDEXED'
const foundSql = 'SELECT count(mode) FROM pin NOT INDEXED WHERE account_id = ?'

/** Compares the pins in the table with those found by account through either index. */
function checkPins(db: Database): readonly Damage[] {
  try {
    // A single read, so that pins changed during the check are not reported as damage.
    return db.together(() => [...countPins(db)])
  } catch (error) {
    return [{ table: 'pin', text: messageOf(error) }]
  }
}

function* countPins(db: Database): Generator<Damage> {
  const stored = new Map<string, number>()
  for (const { id } of db.iterate<{ id: string }>(scanSql)) {
    stored.set(id, (stored.get(id) ?? 0) + 1)
  }
  for (const [id, count] of stored) {
    const isAccount = db.getValue('SELECT 1 FROM account WHERE id = ?', [id]) !== null
    const found = db.getValue<number>(foundSql, [id])
    const listed = db.getValue<number>(
      'SELECT count(*) FROM pin INDEXED BY pin_created WHERE account_id = ?',
      [id],
    )
    if (isAccount && found === count && listed === count) continue
    const of = isAccount ? 'an account' : 'no account'
    yield {
      table: 'pin',
      text: `${count} pins of ${of} are stored, ${found} and ${listed} are found`,
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
