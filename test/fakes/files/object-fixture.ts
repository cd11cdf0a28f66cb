// An ObjectBlockStore over a real PostgreSQL and objects in a folder, as one or several machines that share them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { silentLog } from '../../../src/base/log.ts'
import { createMemoryStore } from '../../../src/content/memory-store.ts'
import { createFolderObjects } from '../../../src/content/objects/folder-objects.ts'
import {
  type ObjectBlockStore,
  openObjectBlockStore,
} from '../../../src/content/objects/object-block-store.ts'
import type { ObjectStore } from '../../../src/content/objects/object-store.ts'
import { openRangeCache } from '../../../src/content/objects/range-cache.ts'
import { type Connections, createConnections } from '../../../src/db/postgres/connections.ts'
import { migratePostgres } from '../../../src/db/postgres/migrate.ts'
import { createPostgresRows } from '../../../src/db/postgres/postgres-rows.ts'
import { query, type Rows } from '../../../src/db/rows.ts'
import type { Postgres } from '../../engines/postgres.ts'

export type Machine = { readonly store: ObjectBlockStore; readonly rows: Rows }

export type ObjectFixture = {
  readonly rows: Rows
  readonly objects: ObjectStore
  /** Opens a machine; the fixture closes it. */
  machine(change?: {
    readonly objects?: (objects: ObjectStore) => ObjectStore
    readonly rows?: (rows: Rows) => Rows
    readonly clock?: Clock
    readonly cacheBytes?: number
    readonly deleteDelayMs?: number
  }): Promise<Machine>
  /** Runs one query and returns its rows. */
  read(sql: string): Promise<readonly Record<string, unknown>[]>
  accountNames(): Promise<readonly string[]>
  close(): Promise<void>
}

type Database = {
  readonly connections: Connections
  /** Empties the tables that were empty after the migration. */
  readonly emptySql: string
}

/** Migrated, empty databases that no fixture uses. A new database takes five times as long as an emptied one. */
const idle = new WeakMap<Postgres, Database[]>()

async function createDatabase(server: Postgres): Promise<Database> {
  const url = server.urlOf(await server.createDatabase())
  const connections = createConnections({ url, size: 8, clock: systemClock })
  await migratePostgres(connections)
  const run = (sql: string) => connections.lend((connection) => connection.script(sql))
  const { rows: tables } = await run(
    "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const names = tables.map(({ name }) => String(name))
  const { rows: filled } = await run(
    names.map((name) => `(SELECT '${name}' AS name FROM ${name} LIMIT 1)`).join(' UNION ALL '),
  )
  const emptied = names.filter((name) => !filled.some((row) => row['name'] === name))
  const deletes = emptied.map((name) => `DELETE FROM ${name}`)
  // Foreign keys would demand an order.
  const emptySql = ['SET session_replication_role = replica', ...deletes]
    .concat('RESET session_replication_role')
    .join(';\n')
  return { connections, emptySql }
}

/** The server's stop closes the connections of its databases. */
export async function openObjectFixture(server: Postgres): Promise<ObjectFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-object-blocks-'))
  const unused = idle.get(server) ?? []
  idle.set(server, unused)
  const database = unused.pop() ?? (await createDatabase(server))
  const { connections } = database
  const rows = createPostgresRows(connections, systemClock)
  const objects = createFolderObjects(join(folder, 'objects'), 1024 * 1024)
  const opened: ObjectBlockStore[] = []

  return {
    rows,
    objects,
    async machine(change = {}) {
      const own = change.rows?.(rows) ?? rows
      const through = change.objects?.(objects) ?? objects
      const name = `machine ${opened.length + 1}`
      const ranges = await openRangeCache({
        objects: through,
        path: join(folder, name),
        bytesMax: change.cacheBytes ?? 0,
        log: silentLog,
      })
      const store = await openObjectBlockStore({
        rows: own,
        objects: through,
        ranges,
        local: createMemoryStore(),
        node: name,
        deleteDelayMs: change.deleteDelayMs ?? 3_600_000,
        clock: change.clock ?? systemClock,
        log: silentLog,
      })
      opened.push(store)
      return { store, rows: own }
    },
    read: (sql) => rows.find(query<Record<string, unknown>>(sql)),
    async accountNames() {
      const found = await rows.find(
        query<{ name: string }>('SELECT name FROM account ORDER BY name'),
      )
      return found.map(({ name }) => name)
    },
    async close() {
      for (const store of opened) await store.close()
      await connections.lend((connection) => connection.script(database.emptySql))
      unused.push(database)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
