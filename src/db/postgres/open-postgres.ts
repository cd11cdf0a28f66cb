// Opens the rows of a PostgreSQL database: connections, schema, notifications. The only module that the rest imports, and only
// where a setting names a database.
// Tested by src/db/postgres/migrate.test.ts, test/server/postgres-started.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Rows } from '../rows.ts'
import { type Connections, createConnections } from './connections.ts'
import { migratePostgres } from './migrate.ts'
import { createPostgresRows } from './postgres-rows.ts'
import { followRevisions, type RevisionFeed } from './revision-feed.ts'

export type OpenPostgres = {
  readonly rows: Rows
  readonly revisions: RevisionFeed
  readonly connections: Connections
  close(): Promise<void>
}

/**
 * Migrates the schema. `size`: of connections. Rejects with `overloaded` if the database cannot be reached or takes no writes, and
 * with a sentence for the operator if its schema is too new.
 */
export async function openPostgres(parts: {
  readonly url: string
  readonly size: number
  readonly clock: Clock
}): Promise<OpenPostgres> {
  const { clock } = parts
  const connections = createConnections(parts)
  try {
    await migratePostgres(connections)
  } catch (error) {
    await connections.close()
    throw error
  }
  const revisions = followRevisions({ connections, clock })
  return {
    rows: createPostgresRows(connections, clock),
    revisions,
    connections,
    async close() {
      await revisions.stop()
      await connections.close()
    },
  }
}
