import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockStoreSuite } from '../../test/suites/block-store.suite.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/sqlite.ts'
import { createMemoryStore } from './memory-store.ts'

blockStoreSuite('memory store', async () => {
  const db = openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  return {
    store: createMemoryStore({ writer }),
    accountNames: () =>
      db.all<{ name: string }>('SELECT name FROM account ORDER BY name').map(({ name }) => name),
    async close() {
      await writer.close()
      db.close()
    },
  }
})

test('rows without a writer are refused', async () => {
  await assert.rejects(createMemoryStore().put([], [{ sql: 'SELECT 1', parameters: [] }]))
})
