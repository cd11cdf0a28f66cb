import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeSuite } from '../../test/suites/store.suite.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/sqlite.ts'
import { createMemoryStore } from './memory-store.ts'

storeSuite('memory store', async () => {
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
  await assert.rejects(createMemoryStore().commit([], [{ sql: 'SELECT 1', parameters: [] }]))
})
