import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteStore } from '../../test/fakes/files/remote-store.ts'
import { blockStoreSuite, type StoreFixture } from '../../test/suites/block-store.suite.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/sqlite.ts'
import type { BlockStore, LocalStore } from './block-store.ts'
import { createMemoryStore } from './memory-store.ts'

blockStoreSuite('memory store', async () => fixture((store) => store))
blockStoreSuite('store without peek, on another machine', async () => fixture(createRemoteStore))

function fixture(over: (store: LocalStore) => BlockStore): StoreFixture {
  const db = openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  return {
    store: over(createMemoryStore({ writer })),
    accountNames: () =>
      db.all<{ name: string }>('SELECT name FROM account ORDER BY name').map(({ name }) => name),
    async close() {
      await writer.close()
      db.close()
    },
  }
}

test('rows without a writer are refused', async () => {
  await assert.rejects(createMemoryStore().put([], [{ sql: 'SELECT 1', parameters: [] }]))
})
