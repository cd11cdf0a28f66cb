import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { item, blockStoreSuite, type StoreFixture } from '../../test/suites/block-store.suite.ts'
import { Fault } from '../base/fault.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase, type Database } from '../db/sqlite.ts'
import { startThreadWriter } from '../db/thread-writer.ts'
import { createSqliteStore, discardStaged } from './sqlite-store.ts'

blockStoreSuite('sqlite store with an inline writer', async () => {
  const db = openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  return fixture(db, writer, () => db.close())
})

blockStoreSuite('sqlite store with the writer thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-store-'))
  const path = join(folder, 'cairn.db')
  const writer = await startThreadWriter({ path })
  const db = openDatabase(path, { readOnly: true })
  return fixture(db, writer, () => {
    db.close()
    rmSync(folder, { recursive: true })
  })
})

blockStoreSuite('sqlite store with a connection for bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-store-'))
  const path = join(folder, 'cairn.db')
  const writer = await startThreadWriter({ path })
  const db = openDatabase(path, { readOnly: true })
  const bytesDb = openDatabase(path, { readOnly: true })
  const close = () => {
    bytesDb.close()
    db.close()
    rmSync(folder, { recursive: true })
  }
  return fixture(db, writer, close, bytesDb)
})

test('what a crash left of open batches is cleared, committed content stays', async () => {
  const db = openDatabase(':memory:')
  migrate(db)
  const writer = createInlineWriter(db)
  const store = createSqliteStore({ db, writer })
  await store.put([item('kept')])
  for (const part of ['one', 'two']) {
    const items = Array.from({ length: 70 }, (_, index) => item(`${part} ${index}`))
    await store.batch().put(items)
  }
  await discardStaged(writer)
  assert.deepEqual(db.get('SELECT count(*) AS n FROM staged_content'), { n: 0 })
  assert.deepEqual(db.get('SELECT count(*) AS n FROM body'), { n: 1 })
  assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
  db.close()
})

test('no copy is stored twice, and none is left behind by duplicates', async () => {
  const db = openDatabase(':memory:')
  migrate(db)
  const store = createSqliteStore({ db, writer: createInlineWriter(db) })
  const batch = store.batch()
  await batch.put([item('a'), item('a'), item('b')])
  await store.put([item('a'), item('a')])
  await batch.put([item('a')])
  await batch.commit()
  assert.deepEqual(db.get('SELECT count(*) AS n FROM body'), { n: 2 })
  assert.deepEqual(db.get('SELECT count(*) AS n FROM content'), { n: 2 })
  db.close()
})

test('a full store refuses new content and goes on serving what it has', async () => {
  const db = openDatabase(':memory:', { bytesMax: 1024 * 1024 })
  migrate(db)
  const store = createSqliteStore({ db, writer: createInlineWriter(db) })
  await store.put([item('kept')])
  const large = { ref: item('large').ref, bytes: new Uint8Array(2 * 1024 * 1024) }
  await assert.rejects(
    store.put([item('small'), large]),
    (error) => error instanceof Fault && error.code === 'no_space',
  )
  assert.equal(store.peek(item('small').ref), null)
  assert.deepEqual(store.peek(item('kept').ref), item('kept').bytes)
  await store.put([item('small')])
  assert.deepEqual(store.peek(item('small').ref), item('small').bytes)
  db.close()
})

function fixture(
  db: Database,
  writer: Parameters<typeof createSqliteStore>[0]['writer'],
  end: () => void,
  bytesDb?: Database,
): StoreFixture {
  return {
    store: createSqliteStore({
      db,
      bytesDb: bytesDb ?? null,
      writer,
    }),
    accountNames: () =>
      db.all<{ name: string }>('SELECT name FROM account ORDER BY name').map(({ name }) => name),
    async close() {
      await writer.close()
      end()
    },
  }
}
