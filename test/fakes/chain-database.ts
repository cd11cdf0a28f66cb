// A database file with a store and the index of one embedded network, removed when the test ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { createSqliteStore } from '../../src/content/sqlite-store.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/sqlite.ts'
import { openChainIndex } from '../../src/devchain/chain-index.ts'

/** `lines`: log lines at `warn` or above. The network is named `test`. */
export function openChainDatabase(t: Pick<TestContext, 'after'>) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-chain-'))
  const path = join(folder, 'cairn.db')
  const database = openDatabase(path)
  migrate(database)
  t.after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  const lines: string[] = []
  return {
    folder,
    path,
    database,
    store: createSqliteStore({ db: database, writer: createInlineWriter(database) }),
    index: openChainIndex(database, 'test'),
    log: createLog(
      () => 'warn',
      () => 0,
      (line) => lines.push(line),
    ),
    lines,
  }
}
