// Files over a real in-memory database, for tests: two accounts, no network, a clock that tests advance.
import type { TestContext } from 'node:test'
import { silentLog } from '../../../src/base/log.ts'
import { importProfiles } from '../../../src/codec/ipld/import-profile.ts'
import { createHostedHash } from './hash-worker-thread.ts'
import { createParallelVerify } from '../../../src/codec/hash/parallel-verify.ts'
import { verifyDagBlock, verifyLeaf } from '../../../src/codec/ipld/verify-dag-block.ts'
import { createSequentialRead } from '../../../src/content/sequential-read.ts'
import { createObtain } from '../../../src/content/obtain.ts'
import type { ContentRef, Obtain, UnverifiedItem } from '../../../src/content/ref.ts'
import { createSegmentStore } from '../../../src/content/segments/segment-store.ts'
import type { Source } from '../../../src/content/source.ts'
import type { DeleteBlocks, Segments, LocalStore } from '../../../src/content/block-store.ts'
import type { CountedWriter } from '../../../src/db/writer.ts'
import { createInlineWriter } from '../../../src/db/inline-writer.ts'
import { migrate } from '../../../src/db/migrate.ts'
import type { Rows } from '../../../src/db/rows.ts'
import { createSqliteRows } from '../../../src/db/sqlite-rows.ts'
import { openDatabase, type Database } from '../../../src/db/sqlite.ts'
import {
  createFiles,
  defaultFilesLimits,
  type FilesLimits,
} from '../../../src/ipfs/create-files.ts'
import type {
  UploadEntry,
  ImportEvent,
  ImportOptions,
} from '../../../src/ipfs/import/upload-entry.ts'
import type { Files, FetchPolicy, Pin } from '../../../src/ipfs/files.ts'
import { createMemoryFileOps } from './memory-file-ops.ts'
import { createTestNames, type TestDns } from './test-names.ts'
import { createManualClock, type ManualClock } from '../manual-clock.ts'

export type FilesFixture = {
  readonly files: Files
  readonly store: LocalStore
  readonly deleteBlocks: DeleteBlocks
  readonly segments: Segments
  readonly obtain: Obtain
  readonly database: Database
  readonly writer: CountedWriter
  readonly rows: Rows
  readonly clock: ManualClock
  readonly ipns: ReturnType<typeof createTestNames>
}

export const never = new AbortController().signal
export const atOnce: FetchPolicy = { offline: false, timeoutMs: null }

export const importDefaults: ImportOptions = {
  cidVersion: 0,
  rawLeaves: false,
  chunker: { kind: 'size', bytes: 262144 },
  layout: 'balanced',
  hash: 'sha2-256',
  maxFileLinks: 174,
  sharding: importProfiles['unixfs-v0-2015'].sharding,
  inline: false,
  inlineLimit: 32,
  onlyHash: false,
  wrap: false,
  emptyDirs: true,
  silent: false,
  progress: false,
  pin: true,
  pinName: '',
  preserveMode: false,
  preserveMtime: false,
}

/** All pins of the account. */
export async function pinsOf(files: Files, accountId: string): Promise<readonly Pin[]> {
  return await Array.fromAsync(files.pins(accountId, never))
}

/** Accounts `alice` and `bob`. `wrapStore` wraps the store, such as to observe writes. */
export function createFilesFixture(
  t: TestContext,
  options: {
    readonly sources?: readonly Source[]
    readonly limits?: Partial<FilesLimits>
    readonly wrapStore?: (store: LocalStore) => LocalStore
    readonly dns?: TestDns
  } = {},
): FilesFixture {
  const { sources = [], limits, wrapStore = (store: LocalStore) => store } = options
  const database = openDatabase(':memory:')
  migrate(database)
  t.after(() => database.close())
  for (const id of ['alice', 'bob']) {
    database.run('INSERT INTO account (id, name, created, card) VALUES (?, ?, 0, 1)', [id, id])
  }
  const writer = createInlineWriter(database)
  const clock = createManualClock()
  const rows = createSqliteRows(database, writer)
  const ipns = createTestNames(rows, clock, options.dns)
  const segmentStore = createSegmentStore({
    rowsFollow: true,
    hashWorker: createHostedHash(),
    db: database,
    writer,
    ops: createMemoryFileOps(),
    path: '/store',
    clock,
    log: silentLog,
  })
  const store = wrapStore(segmentStore)
  const verify = (ref: ContentRef, bytes: Uint8Array) => verifyDagBlock(ref.hash, bytes)
  const { obtain } = createObtain({
    store,
    sourcesFor: () => sources,
    verify,
    clock,
    log: silentLog,
    count: () => {},
  })
  const files = createFiles({
    store,
    deleteBlocks: segmentStore.delete,
    obtain,
    readRun: createSequentialRead({
      store,
      verify,
      verifyLeaf,
      verifyInParallel: createParallelVerify(createHostedHash()),
      log: silentLog,
      count: () => {},
    }),
    rows,
    clock,
    hasSources: () => sources.length > 0,
    resolveName: ipns.resolveName,
    limits: { ...defaultFilesLimits, ...limits },
  })
  const { delete: deleteBlocks, segments } = segmentStore
  return { files, store, deleteBlocks, segments, obtain, database, writer, rows, clock, ipns }
}

export async function* piecesOf(bytes: Uint8Array, pieceBytes = 65536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export function fileEntry(path: string, content: Uint8Array | string): UploadEntry {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  return { kind: 'file', path, content: piecesOf(bytes) }
}

/** Imports and returns all events. */
export async function importAll(
  files: Files,
  entries: Iterable<UploadEntry> | AsyncIterable<UploadEntry>,
  options: Partial<ImportOptions> = {},
  accountId = 'alice',
): Promise<ImportEvent[]> {
  const events: ImportEvent[] = []
  const context = { accountId, proceed: () => true, signal: never }
  for await (const event of files.import(
    streamOf(entries),
    { ...importDefaults, ...options },
    context,
  )) {
    events.push(event)
  }
  return events
}

export async function* streamOf<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items
}

/** CID of the root, from the last event. */
export function rootOf(
  events: readonly ImportEvent[],
): Extract<ImportEvent, { readonly kind: 'added' }> {
  const last = events.at(-1)
  if (last?.kind !== 'added') throw new Error('the last event is no added one')
  return last
}

export async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const out: Uint8Array[] = []
  for await (const chunk of chunks) out.push(Buffer.from(chunk))
  return Buffer.concat(out)
}

/** A store whose Batches report the items they receive. */
export function watchedStore(
  store: LocalStore,
  onPut: (items: readonly UnverifiedItem[]) => void,
): LocalStore {
  return {
    ...store,
    batch() {
      const batch = store.batch()
      return {
        ...batch,
        async put(items) {
          onPut(items)
          await batch.put(items)
        },
      }
    },
  }
}
