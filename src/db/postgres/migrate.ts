// Migrates a PostgreSQL database to the newest schema. One machine migrates, under a database lock; others wait. A program works
// with its own schema version and the next one, because machines of a service are replaced one by one.
// Tested by src/db/postgres/migrate.test.ts
import { Fault } from '../../base/fault.ts'
import type { Connections } from './connections.ts'
import { toFault } from './faults.ts'
import { advisoryLocks } from './postgres-rows.ts'
import { postgresMigrations } from './schema.ts'

/** A new index of a large table takes minutes; a start waits this long for the migration of another machine. */
const migrateMs = 3_600_000

/** `from` and `to`: number of applied migrations, before and after. */
export type Migrated = { readonly from: number; readonly to: number }

/**
 * Runs missing migrations, all or none. Throws, without changes, if the database is more than one version newer than this program,
 * and `overloaded` if the database cannot be reached.
 */
export async function migratePostgres(
  connections: Pick<Connections, 'lend'>,
  steps: readonly (readonly string[])[] = postgresMigrations,
): Promise<Migrated> {
  try {
    return await connections.lend(async (connection) => {
      const script = (sql: string) => connection.script(sql, migrateMs)
      await script('BEGIN')
      try {
        await script(
          `SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(${advisoryLocks.migrate})`,
        )
        await script(
          'CREATE TABLE IF NOT EXISTS schema_version (one boolean PRIMARY KEY CHECK (one), version bigint NOT NULL)',
        )
        const { rows } = await script('SELECT version FROM schema_version')
        const from = Number(rows[0]?.['version'] ?? 0)
        refuseNewer(from, steps.length)
        const missing = steps.slice(from)
        for (const step of missing) await script(step.join(';\n'))
        if (missing.length > 0) {
          await script(`INSERT INTO schema_version (one, version) VALUES (true, ${steps.length})
            ON CONFLICT (one) DO UPDATE SET version = excluded.version`)
        }
        await script('COMMIT')
        // Plans made without statistics are slow.
        if (missing.length > 0)
          await script('BEGIN; SET LOCAL statement_timeout = 0; ANALYZE; COMMIT')
        return { from, to: Math.max(from, steps.length) }
      } catch (error) {
        await script('ROLLBACK').catch(() => {})
        throw error
      }
    })
  } catch (error) {
    throw error instanceof Fault ? error : toFault(error)
  }
}

/** Throws a sentence for the operator. */
function refuseNewer(version: number, known: number): void {
  if (version <= known + 1) return
  throw new Error(
    `the database has schema version ${version}, this Cairn knows versions up to ${known}: start a newer Cairn`,
  )
}
