// Reads a PostgreSQL database without changing it, for commands that only report.
// Tested by src/cli/doctor/database-checks.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../rows.ts'
import { checkServer, type ServerProblem } from './check-server.ts'
import { createConnections } from './connections.ts'
import { createPostgresRows } from './postgres-rows.ts'
import { rowTypes } from './row-types.ts'
import { postgresMigrations } from './schema.ts'
import pg from 'pg'

export type InspectedPostgres = {
  readonly problems: readonly ServerProblem[]
  /** Null: the schema is not that of this program, so its rows cannot be read. */
  readonly rows: Rows | null
  close(): Promise<void>
}

const connectMs = 5000

/** Rejects with the reason if the database cannot be reached; the message contains no password. */
export async function inspectPostgres(parts: {
  readonly url: string
  readonly mayLoseCommits: boolean
  readonly clock: Clock
}): Promise<InspectedPostgres> {
  const { url, clock } = parts
  // Not through `Connections`, which refuses a standby: here a standby is a result.
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
    types: rowTypes,
  })
  client.on('error', () => {})
  await client.connect()
  let problems: readonly ServerProblem[]
  let version: number
  try {
    const script = async (sql: string) => {
      const { rows, rowCount } = await client.query<Record<string, unknown>>(sql)
      return { rows, changed: rowCount ?? 0 }
    }
    problems = await checkServer({ script }, parts)
    if (problems.some(({ isFinal }) => isFinal))
      return { problems, rows: null, close: async () => {} }
    const [found] = (await script(`SELECT to_regclass('schema_version') IS NOT NULL AS found`)).rows
    version =
      found?.['found'] === 1
        ? Number((await script('SELECT version FROM schema_version')).rows[0]?.['version'])
        : 0
  } finally {
    await client.end()
  }
  if (version !== postgresMigrations.length) {
    return { problems, rows: null, close: async () => {} }
  }
  const connections = createConnections({ url, size: 2, clock })
  return {
    problems,
    rows: createPostgresRows(connections, clock),
    close: connections.close,
  }
}
