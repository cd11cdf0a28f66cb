import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowsSuite } from '../../test/suites/rows.suite.ts'
import { createInlineWriter } from './inline-writer.ts'
import { migrate } from './migrate.ts'
import { createSqliteRows } from './sqlite-rows.ts'
import { openDatabase } from './sqlite.ts'
import { startThreadWriter } from './thread-writer.ts'

rowsSuite('rows in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-rows-'))
  const path = join(folder, 'cairn.db')
  const own = openDatabase(path)
  migrate(own)
  const elsewhere = await startThreadWriter({ path })
  return {
    rows: createSqliteRows(own, createInlineWriter(own)),
    async writeElsewhere(statement) {
      await elsewhere.write([statement])
    },
    async close() {
      await elsewhere.close()
      own.close()
      rmSync(folder, { recursive: true })
    },
  }
})
