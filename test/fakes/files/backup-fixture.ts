// A data folder with small segments and a folder of backups, for tests of src/backup/.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { openFolderTarget } from '../../../src/backup/folder-target.ts'
import { findBackup } from '../../../src/backup/list-backups.ts'
import { type BackupResult, makeBackup } from '../../../src/backup/make-backup.ts'
import type { Manifest } from '../../../src/backup/manifest.ts'
import type { BackupTarget } from '../../../src/backup/target.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLog } from '../../../src/base/log.ts'
import { multihashOf } from '../../../src/codec/ipld/multihash.ts'
import type { ContentRef } from '../../../src/content/ref.ts'
import {
  createSegmentStore,
  type SegmentStore,
} from '../../../src/content/segments/segment-store.ts'
import { defaultSegmentLimits } from '../../../src/content/segments/segment-limits.ts'
import { createSystemFiles } from '../../../src/content/system-files.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { type Database, openDatabase } from '../../../src/db/sqlite.ts'

export const never = new AbortController().signal
const server = 'aa'.repeat(32)

export type BackupFixture = {
  readonly dataDir: string
  readonly targetDir: string
  readonly target: BackupTarget
  readonly database: Database
  readonly store: SegmentStore
  /** Stores a block of these bytes. */
  put(bytes: Uint8Array): Promise<ContentRef>
  /** Simulates an hour without writes: all segments but the newest of their kind become final. */
  age(): Promise<void>
  backUp(options?: {
    readonly signal?: AbortSignal
    readonly server?: string
    readonly to?: BackupTarget
  }): Promise<BackupResult>
  /** The newest backup. */
  manifest(): Promise<Manifest>
  /** Path of a folder of this name. */
  readonly folder: (name: string) => string
}

export async function createBackupFixture(t: TestContext): Promise<BackupFixture> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-backup-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  const targetDir = join(root, 'target')
  const { store, database, close } = await openBlocks(dataDir)
  await writeFile(join(dataDir, 'identity.pem'), 'the identity\n', { mode: 0o600 })
  t.after(close)
  const target = openFolderTarget(targetDir)
  return {
    dataDir,
    targetDir,
    target,
    database,
    store,
    async put(bytes) {
      const ref = { kind: 'dag-block', hash: multihashOf('sha2-256', bytes) } as const
      await store.put([{ ref, bytes }])
      return ref
    },
    async age() {
      const past = systemClock.now() / 1000 - 3600
      for (const kind of ['ext', 'log']) {
        const folder = join(dataDir, 'store', kind)
        for (const name of await readdir(folder)) await utimes(join(folder, name), past, past)
      }
    },
    backUp: (options = {}) =>
      makeBackup(
        { dataDir, server: options.server ?? server, version: '0.0.0' },
        options.to ?? target,
        { clock: systemClock, signal: options.signal ?? never },
      ),
    manifest: () => findBackup(target, null, never),
    folder: (name) => join(root, name),
  }
}

/** A store on a new or restored data folder, with segments of 64 KiB. */
export async function openBlocks(
  dataDir: string,
): Promise<{ readonly store: SegmentStore; readonly database: Database; close(): Promise<void> }> {
  const ops = createSystemFiles()
  const path = join(dataDir, 'store')
  ops.makeFolderNow(dataDir)
  const database = openDatabase(join(dataDir, 'cairn.db'))
  migrate(database)
  const writer = createInlineWriter(database)
  const store = createSegmentStore({
    db: database,
    writer,
    ops,
    path,
    clock: systemClock,
    log: silentLog,
    limits: { ...defaultSegmentLimits, sealBytes: 64 * 1024 },
  })
  return {
    store,
    database,
    async close() {
      await store.close()
      database.close()
    },
  }
}

/** Names and sizes of the objects of a folder of backups. */
export async function objectsOf(targetDir: string): Promise<ReadonlyMap<string, number>> {
  const folder = join(targetDir, 'objects')
  const found = new Map<string, number>()
  for (const name of await readdir(folder)) found.set(name, (await stat(join(folder, name))).size)
  return found
}

/** Asserts that each block is readable from the folder, byte for byte. */
export async function assertBlocks(
  dataDir: string,
  blocks: readonly { readonly ref: ContentRef; readonly bytes: Uint8Array }[],
): Promise<void> {
  const { store, close } = await openBlocks(dataDir)
  try {
    for (const { ref, bytes } of blocks) {
      assert.deepEqual(new Uint8Array((await store.get(ref)) ?? []), new Uint8Array(bytes))
    }
  } finally {
    await close()
  }
}
