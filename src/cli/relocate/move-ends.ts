// The two ends of a move: a data folder, and the database and bucket of the settings.
// Tested by test/cli/migrate.test.ts
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { identityPath, obtainSealSecret } from '../../access/accounts/server-identity.ts'
import { systemClock } from '../../base/clock.ts'
import { silentLog } from '../../base/log.ts'
import type { Config } from '../../config/settings.ts'
import { createMemoryStore } from '../../content/memory-store.ts'
import type { ObjectBlockStore } from '../../content/objects/object-block-store.ts'
import { ObjectNotFound } from '../../content/objects/object-store.ts'
import { readBlock } from '../../content/segments/find-blocks.ts'
import { createOpenFiles } from '../../content/segments/open-files.ts'
import { openSegmentFolder } from '../../content/segments/segment-folder.ts'
import { createSystemFiles } from '../../content/system-files.ts'
import { lockFolder } from '../../db/lock.ts'
import { type MoveSession, moverName, openMoveSession } from '../../db/postgres/move-session.ts'
import { openPostgres } from '../../db/postgres/open-postgres.ts'
import type { Rows } from '../../db/rows.ts'
import type { Database } from '../../db/sqlite.ts'
import { openObjects } from '../../server/open-objects.ts'
import { openStore, segmentsOf } from '../../server/open-content.ts'
import { findPlace } from '../../tables/blocks.ts'
import type { Writer } from '../../db/writer.ts'
import { UsageError } from '../usage-error.ts'
import type { ReadBlock } from './copy-blocks.ts'

const filesMax = 64

export type SharedEnd = AsyncDisposable & {
  readonly session: MoveSession
  readonly rows: Rows
  /** Opens the bucket. The caller closes the store, which renews a lease while open. */
  openStore(): Promise<ObjectBlockStore>
}

/** Migrates the schema. Rejects with an Error if the database or its secrets do not match. */
export async function openSharedEnd(
  config: Pick<Config, 'dataDir' | 'secretsFile' | 'database' | 'objects'>,
): Promise<SharedEnd> {
  const { dataDir, database } = config
  const { url, mayLoseCommits } = database
  if (url === null) {
    throw new UsageError(
      'the settings name no shared database: set database.url and objects.url in a settings file, and name it with --config',
    )
  }
  if (!existsSync(identityPath(config))) {
    throw new Error(
      `${dataDir} has no identity.pem, whose key encrypts secrets in the database: copy it from the data folder of a server that uses this database`,
    )
  }
  await using opening = new AsyncDisposableStack()
  const clock = systemClock
  const log = silentLog
  const secretHash = createHash('sha256').update(obtainSealSecret(config)).digest('hex')
  const opened = await openPostgres({ url, size: 4, mayLoseCommits, secretHash, clock, log })
  opening.defer(() => opened.close())
  const session = await openMoveSession(url)
  opening.defer(() => session.close())
  const open = opening.move()
  return {
    session,
    rows: opened.rows,
    openStore() {
      // Cached ranges of another bucket may have the same names.
      rmSync(join(dataDir, 'object-cache'), { recursive: true, force: true })
      const { rows } = opened
      return openObjects({
        config: { ...config, node: { name: moverName } },
        rows,
        local: createMemoryStore(),
        clock,
        log,
      })
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function readerOf(store: Pick<ObjectBlockStore, 'get'>): ReadBlock {
  return async (hash, again) => {
    const ref = { kind: 'dag-block', hash } as const
    try {
      return await (again ? store.get(ref, 'reread') : store.get(ref))
    } catch (error) {
      if (error instanceof ObjectNotFound) return null
      throw error
    }
  }
}

/** Reads the segments of a folder, also while a server uses them. */
export function openFolderReader(
  db: Database,
  dataDir: string,
): { readonly read: ReadBlock; close(): Promise<void> } {
  const ops = createSystemFiles()
  const folder = openSegmentFolder({
    ops,
    path: segmentsOf(dataDir),
    bytesMax: null,
    otherBytes: () => 0,
  })
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax })
  return {
    async read(hash, again) {
      if (again) db.forgetPages()
      const place = findPlace(db, hash)
      try {
        return place === null ? null : readBlock(files, place)
      } catch {
        return null
      }
    },
    close: () => files.close(),
  }
}

/** Opens the segments of a folder without a server, and writes all pending rows. */
export function openFolderStore(
  config: Pick<Config, 'dataDir' | 'store'>,
  database: Database,
  writer: Writer,
) {
  return openStore({
    dataDir: config.dataDir,
    database,
    writer,
    bytesMax: config.store.bytesMax,
    clock: systemClock,
    log: silentLog,
  })
}

/** Null: a server has locked the folder. */
export function tryLockFolder(dataDir: string): (() => void) | null {
  try {
    return lockFolder(dataDir)
  } catch {
    return null
  }
}
