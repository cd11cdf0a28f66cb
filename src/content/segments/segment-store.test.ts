import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockStoreSuite, type StoreFixture } from '../../../test/suites/block-store.suite.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { openDatabase, type Database } from '../../db/sqlite.ts'
import { startThreadWriter } from '../../db/thread-writer.ts'
import type { Writer } from '../../db/writer.ts'
import { createSystemFiles } from '../system-files.ts'
import { createSegmentStore } from './segment-store.ts'

blockStoreSuite('segment store with an inline writer', async () => {
  const path = temporaryFolder()
  const db = openDatabase(join(path, 'cairn.db'))
  migrate(db)
  return await fixture(path, db, createInlineWriter(db))
})

for (const rowsFollow of [false, true]) {
  const how = rowsFollow ? ', rows following' : ''
  blockStoreSuite(`segment store with the writer thread${how}`, async () => {
    const path = temporaryFolder()
    const writer = await startThreadWriter({ path: join(path, 'cairn.db') })
    const db = openDatabase(join(path, 'cairn.db'), { readOnly: true })
    return await fixture(path, db, writer, rowsFollow)
  })
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cairn-segments-'))
}

async function fixture(
  path: string,
  db: Database,
  writer: Writer,
  rowsFollow = false,
): Promise<StoreFixture> {
  const bytesDb = rowsFollow ? openDatabase(join(path, 'cairn.db'), { readOnly: true }) : undefined
  const store = createSegmentStore({
    db,
    bytesDb,
    writer,
    ops: createSystemFiles(),
    path: join(path, 'store'),
    clock: systemClock,
    log: silentLog,
    rowsFollow,
  })
  return {
    store,
    accountNames: () =>
      db.all<{ name: string }>('SELECT name FROM account ORDER BY name').map(({ name }) => name),
    async close() {
      await store.close()
      await writer.close()
      bytesDb?.close()
      db.close()
      rmSync(path, { recursive: true })
    },
  }
}
