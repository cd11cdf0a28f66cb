// Moves accounts, people, usage and files between a data folder and a shared database: first the blocks, also while the source
// serves, then all rows while it does not. Each step can be repeated; the last step marks the source as moved.
// Tested by test/cli/migrate.test.ts
import { join } from 'node:path'
import type { Config } from '../../config/settings.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import type { Recount } from '../../db/moved-tables.ts'
import {
  beginAlone,
  claimTarget,
  markMovedAway,
  serversOf,
} from '../../db/postgres/move-session.ts'
import { moveRowsToPostgres, moveRowsToSqlite } from '../../db/postgres/move-rows.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../db/sqlite.ts'
import { makeDataFolder } from '../../server/make-data-folder.ts'
import { readMoveMark, removeMoveMark, writeMoveMark } from '../../server/move-mark.ts'
import { countAccounts } from '../../tables/moved-blocks.ts'
import { refuseNoData } from '../open-data.ts'
import { type CopiedBlocks, copyBlocks, readSample } from './copy-blocks.ts'
import {
  openFolderReader,
  openFolderStore,
  openSharedEnd,
  readerOf,
  tryLockFolder,
} from './move-ends.ts'

/** `recount` null: the source serves, so only blocks were copied. `sampled`: number of blocks that were read back. */
export type Moved = {
  readonly blocks: CopiedBlocks
  readonly recount: Recount | null
  readonly sampled: number
}

type Parts = {
  readonly config: Pick<Config, 'dataDir' | 'secretsFile' | 'database' | 'objects' | 'store'>
  readonly onBlocks: (done: number, total: number) => void
  /** Called before each step. */
  readonly onStep: (step: string) => void | Promise<void>
}

/** Rejects with an Error for the operator; then the folder is unchanged and the command can be repeated. */
export async function moveToShared({ config, onBlocks, onStep }: Parts): Promise<Moved> {
  const { dataDir } = config
  refuseNoData(dataDir)
  if (readMoveMark(dataDir) !== null) {
    throw new Error(
      `${dataDir} was moved already: to move it again, remove ${join(dataDir, 'moved')}`,
    )
  }
  await using ends = new AsyncDisposableStack()
  const unlock = tryLockFolder(dataDir)
  ends.defer(() => unlock?.())
  const db = openFolder(config, ends)
  const shared = ends.use(await openSharedEnd(config))
  await claimTarget(shared.session)
  const writer = createInlineWriter(db)
  // Without a server, write the rows of the last blocks here; a running server does so itself.
  if (unlock !== null) await (await openFolderStore(config, db, writer)).close()
  await onStep('blocks')
  const store = await shared.openStore()
  await using closing = new AsyncDisposableStack()
  closing.defer(() => store.close())
  const folder = openFolderReader(db, dataDir)
  closing.defer(() => folder.close())
  const blocks = await copyBlocks({
    source: { rows: createSqliteRows(db, writer), read: folder.read },
    target: { rows: shared.rows, store },
    onBlocks,
  })
  if (unlock === null) return { blocks, recount: null, sampled: 0 }
  await onStep('rows')
  // Blocks other commands from changing the folder until the mark is written.
  db.exec('BEGIN IMMEDIATE')
  try {
    const recount = await moveRowsToPostgres({
      session: shared.session,
      db,
      before: (table) => onStep(`rows ${table}`),
    })
    await onStep('sample')
    const sampled = await readSample(shared.rows, readerOf(store))
    await onStep('mark')
    writeMoveMark(dataDir, 'moved')
    return { blocks, recount, sampled }
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

/** As `moveToShared`, into a folder that has no accounts or whose accounts were moved away. */
export async function moveToFolder({ config, onBlocks, onStep }: Parts): Promise<Moved> {
  const { dataDir } = config
  makeDataFolder(dataDir)
  await using ends = new AsyncDisposableStack()
  const unlock = tryLockFolder(dataDir)
  if (unlock === null) {
    throw new Error(
      `a Cairn server is running on ${dataDir}: stop it, or choose another data folder`,
    )
  }
  ends.defer(unlock)
  const shared = ends.use(await openSharedEnd(config))
  const db = openFolder(config, ends)
  refuseOwnAccounts(db, dataDir)
  const isServed = (await serversOf(shared.session)) === 'now'
  writeMoveMark(dataDir, 'incomplete')
  const writer = createInlineWriter(db)
  const rows = createSqliteRows(db, writer)
  await onStep('blocks')
  const remote = await shared.openStore()
  ends.defer(() => remote.close())
  const local = await openFolderStore(config, db, writer)
  let blocks: CopiedBlocks
  try {
    const source = { rows: shared.rows, read: readerOf(remote) }
    blocks = await copyBlocks({ source, target: { rows, store: local }, onBlocks })
  } finally {
    // Closing writes the rows of all blocks.
    await local.close()
  }
  if (isServed || !(await beginAlone(shared.session))) {
    return { blocks, recount: null, sampled: 0 }
  }
  await onStep('rows')
  const recount = await moveRowsToSqlite({
    session: shared.session,
    db,
    before: (table) => onStep(`rows ${table}`),
  })
  await onStep('sample')
  const folder = openFolderReader(db, dataDir)
  ends.defer(() => folder.close())
  const sampled = await readSample(rows, folder.read)
  await onStep('mark')
  await markMovedAway(shared.session)
  removeMoveMark(dataDir)
  return { blocks, recount, sampled }
}

function openFolder(config: Parts['config'], ends: AsyncDisposableStack): Database {
  const { bytesMax } = config.store
  const db = openDatabase(join(config.dataDir, 'cairn.db'), bytesMax === null ? {} : { bytesMax })
  ends.defer(() => db.close())
  migrate(db)
  return db
}

function refuseOwnAccounts(db: Database, dataDir: string): void {
  const count = countAccounts(db)
  if (count === 0 || readMoveMark(dataDir) !== null) return
  throw new Error(
    `${dataDir} has ${count} accounts of its own: choose another folder with --data-dir`,
  )
}
