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
import { createConnections } from '../../../src/db/postgres/connections.ts'
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

export async function openObjectFixture(server: Postgres): Promise<ObjectFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-object-blocks-'))
  const url = server.urlOf(await server.createDatabase())
  const connections = createConnections({ url, size: 8, clock: systemClock })
  await migratePostgres(connections)
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
      await connections.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
