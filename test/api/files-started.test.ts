// The golden cases of the IPFS API against a started server, each on its own account.
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createAccounts, type Accounts } from '../../src/access/accounts/accounts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createInlineWriter } from '../../src/db/inline-writer.ts'
import { createSqliteRows } from '../../src/db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../src/db/sqlite.ts'
import { type Started, startCairn } from '../started-server.ts'
import { readGolden, replayCase } from './files-golden.ts'

const golden = readGolden()
const skip =
  golden === null &&
  'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'
let cairn: Started
let db: Database
let accounts: Accounts

before(async () => {
  cairn = await startCairn()
  // As the command line does: opens the same tables while the server runs.
  db = openDatabase(join(cairn.dataDir, 'cairn.db'))
  const writer = createInlineWriter(db)
  const rows = createSqliteRows(db, writer)
  accounts = createAccounts({ rows, clock: systemClock })
})
after(async () => {
  db.close()
  await cairn.stop()
})

async function newAccount(): Promise<{ key: string; secret: string }> {
  const { name } = await accounts.createAccount(
    `golden-${(await accounts.listAccounts()).length}`,
    {
      hasCard: true,
    },
  )
  return accounts.createKey(name)
}

// Without vectors the list is empty: a single skipped test shows the reason.
if (golden === null) test('golden cases of the IPFS API', { skip: skip || 'absent' }, () => {})
for (const one of golden?.cases ?? []) {
  test(`${one.id} ${one.request.method} ${one.request.path}`, () =>
    golden === null ? undefined : replayCase({ url: cairn.url, newAccount }, golden, one))
}
