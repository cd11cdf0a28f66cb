// Opens the content layer of a data folder: its store, its sources and their verification.
// Tested by test/server/start.test.ts
import type { FetchContext, Obtain } from '../content/ref.ts'
import type { Source } from '../content/source.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type HashWorker, createHashWorker } from '../codec/hash/hash-worker.ts'
import { discardStaged } from '../content/sqlite-store.ts'
import { moveBlocks } from '../content/segments/move-blocks.ts'
import { replayLog } from '../content/segments/replay-log.ts'
import { discardListed } from '../content/segments/segment-batch.ts'
import type { SegmentLimits } from '../content/segments/segment-limits.ts'
import { type SegmentStore, createSegmentStore } from '../content/segments/segment-store.ts'
import { segmentBytes } from '../content/segments/segment-folder.ts'
import { createSystemFiles } from '../content/system-files.ts'
import type { Rows } from '../db/rows.ts'
import type { Database } from '../db/sqlite.ts'
import type { Writer } from '../db/writer.ts'
import type { ObjectBlockStore } from '../content/objects/object-block-store.ts'
import type { BlockStore, ServerStore } from '../content/block-store.ts'
import { availableParallelism } from 'node:os'
import { createParallelVerify } from '../codec/hash/parallel-verify.ts'
import { verifyLeaf } from '../codec/ipld/verify-dag-block.ts'
import { nameKeccakKinds } from '../codec/hash/verify-keccak.ts'
import type { Config } from '../config/settings.ts'
import { digestSettings } from '../config/shared-settings.ts'
import { obtainSealSecret } from '../access/accounts/server-identity.ts'
import { type SequentialRead, createSequentialRead } from '../content/sequential-read.ts'
import { type Obtainer, createObtain } from '../content/obtain.ts'
import { createQuarantineCheck } from '../content/quarantine-check.ts'
import { defaultObtainLimits } from '../content/obtain-limits.ts'
import { verify } from '../content/verified-finds.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import type { FileSourceConfig } from '../ipfs/sources/file-source.ts'
import { type BlockSources, createBlockSources } from '../ipfs/sources/block-sources.ts'
import type { ResumableUploads } from '../kubo/tus/resumable-uploads.ts'
import type { Counters } from '../metrics/counters.ts'
import { refuseMovedAway } from './move-mark.ts'

export type NetworkSources = {
  readonly of: (hint: FetchContext) => readonly Source[]
  /** Sources are queried in this order; empty: the network was removed. */
  set(network: string, sources: readonly Source[]): void
}

/** Sources by network name. A context without a network, or of the embedded chain, has none. */
export function createNetworkSources(): NetworkSources {
  const sources = new Map<string, readonly Source[]>()
  const none: readonly Source[] = []
  return {
    of: ({ network }) => (network === undefined ? none : (sources.get(network) ?? none)),
    set(network, found) {
      if (found.length === 0) sources.delete(network)
      else sources.set(network, found)
    },
  }
}

/** Folder of the segments in a data folder. */
export function segmentsOf(dataDir: string): string {
  return join(dataDir, 'store')
}

/** Bytes of the segments in a data folder; creates nothing. */
export function segmentBytesOf(dataDir: string): number {
  return segmentBytes(createSystemFiles(), segmentsOf(dataDir))
}

/**
 * Call before a new `cairn.db` is created. Throws a sentence for the operator if content exists without it: only that file contains
 * keys and pins, so a start without it would look like a loss of all data.
 */
export function refuseLostDatabase(dataDir: string): void {
  if (existsSync(join(dataDir, 'cairn.db'))) return
  if (segmentBytesOf(dataDir) === 0) return
  throw new Error(
    `${segmentsOf(dataDir)} holds content, but ${join(dataDir, 'cairn.db')} with keys and pins is missing: restore it from a backup, or keep only the content: cairn store rebuild --data-dir ${dataDir}`,
  )
}

/** Call before any other work on the folder. */
export async function openStore(parts: {
  readonly dataDir: string
  readonly database: Database
  /** A second connection, for values that are read within one event-loop turn. */
  readonly bytesDb?: Database
  readonly writer: Writer
  readonly bytesMax: number | null
  /** Further bytes that count towards `bytesMax`. */
  readonly otherBytes?: () => number
  readonly limits?: SegmentLimits
  readonly hashWorker?: HashWorker | null
  readonly clock: Clock
  readonly log: Log
}): Promise<SegmentStore> {
  const {
    dataDir,
    database: db,
    bytesDb,
    writer,
    bytesMax,
    otherBytes = () => 0,
    limits,
    hashWorker = null,
    clock,
    log,
  } = parts
  await discardStaged(writer)
  await discardListed(writer, null)
  const ops = createSystemFiles()
  const replay = { db, writer, ops, path: segmentsOf(dataDir), clock }
  const rowsFollow = await replayLog(replay).then(() => true, warnNoSpace(log))
  const store = createSegmentStore({
    db,
    bytesDb,
    writer,
    ops,
    path: segmentsOf(dataDir),
    bytesMax,
    otherBytes,
    rowsFollow,
    hashWorker,
    clock,
    log,
    ...(limits === undefined ? {} : { limits }),
  })
  await moveBlocks({ db, store, log })
  return store
}

/** Without space for rows the server still starts, for reads and deletions. The next start replays the log. */
function warnNoSpace(log: Log): (error: unknown) => false {
  return (error) => {
    if (!(error instanceof Fault) || error.code !== 'no_space') throw error
    log('warn', 'log_not_replayed', { error })
    return false
  }
}

export type OpenContent = {
  readonly store: ServerStore
  /** Chain content, and file blocks where no bucket is configured. */
  readonly local: SegmentStore
  /** Null: no bucket is configured. */
  readonly shared: ObjectBlockStore | null
  readonly obtaining: Obtainer
  /** File blocks from sources only, ignoring the store. */
  readonly obtainOutside: Obtain
  readonly readRun: SequentialRead
  /** Sources of headers, lists and nodes, by network. */
  readonly sources: NetworkSources
  /** Sources of file blocks. */
  readonly blockSources: BlockSources
  close(): Promise<void>
}

/** `bytesDb`: a second connection, for values that are read within one event-loop turn. */
export async function openContent(parts: {
  readonly config: Config
  /** Current settings. */
  readonly settings: { readonly now: Config }
  readonly database: Database
  readonly bytesDb: Database
  /** Rows of the database with the pins. */
  readonly rows: Rows
  /** Its thread also hashes. */
  readonly writer: ThreadWriter
  readonly countContent: Counters['countContent']
  /** Bytes of unfinished uploads on disk. */
  readonly uploadBytes: () => number
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenContent> {
  const { config, database, bytesDb, rows, writer, uploadBytes, clock, log } = parts
  const { countContent: count } = parts
  await using opening = new AsyncDisposableStack()
  const hashWorker: HashWorker | null =
    availableParallelism() > 1 ? createHashWorker((module) => writer.attach(module)) : null
  const local = await openStore({
    dataDir: config.dataDir,
    database,
    bytesDb,
    writer,
    bytesMax: config.store.bytesMax,
    otherBytes: uploadBytes,
    hashWorker,
    clock,
    log,
  })
  opening.defer(() => local.close())
  const settings = digestsOf(parts)
  const sharedParts = { config, settings, rows, local, hashWorker, clock, log }
  const shared = await openSharedStore(sharedParts, opening)
  const store = shared ?? local
  const sources = createNetworkSources()
  const blockSources = createBlockSources({ clock, log })
  opening.defer(() => blockSources.close())
  await blockSources.replace(gatewaysOf(config))
  const checks = { verify, nameOf: nameKeccakKinds, clock, log, count }
  const obtaining = createObtain({
    ...checks,
    store,
    sourcesFor: (hint) => (hint.network === undefined ? blockSources.of(hint) : sources.of(hint)),
    limits: { ...defaultObtainLimits, memoryBytesMax: config.memory.contentBytesMax },
  })
  opening.defer(() => obtaining.idle())
  const outside = createObtain({
    ...checks,
    store: Object.assign(Object.create(store) as BlockStore, {
      get: async () => null,
      peek: () => null,
      has: async () => false,
    }),
    sourcesFor: blockSources.of,
    limits: { ...defaultObtainLimits, memoryBytesMax: 0 },
  })
  opening.defer(() => outside.idle())
  const { obtain } = obtaining
  const quarantine = createQuarantineCheck({
    store,
    database,
    shared: shared === null ? null : rows,
    obtain,
    clock,
    log,
  })
  opening.defer(() => quarantine.stop())
  const readRun = createSequentialRead({
    store,
    verify,
    verifyLeaf,
    verifyInParallel: hashWorker === null ? null : createParallelVerify(hashWorker),
    log,
    count,
  })
  const open = opening.move()
  return {
    store,
    local,
    shared,
    obtaining,
    obtainOutside: outside.obtain,
    readRun,
    sources,
    blockSources,
    close: () => open.disposeAsync(),
  }
}

/** Digests of the current settings, which other machines compare with theirs. */
function digestsOf(parts: {
  readonly config: Config
  readonly settings: { readonly now: Config }
}): () => string {
  let secret: Uint8Array | null = null
  return () => {
    secret ??= obtainSealSecret(parts.config)
    return JSON.stringify(digestSettings(parts.settings.now, secret))
  }
}

/** The store that several machines share, closed by `opening`; null: no bucket is configured. */
export async function openSharedStore(
  parts: {
    readonly config: Pick<Config, 'dataDir' | 'objects' | 'node'>
    /** Digests of the current settings. */
    readonly settings?: () => string | null
    readonly rows: Rows
    readonly local: SegmentStore
    readonly hashWorker?: HashWorker | null
    readonly clock: Clock
    readonly log: Log
  },
  opening: AsyncDisposableStack,
): Promise<ObjectBlockStore | null> {
  if (parts.config.objects.url === null) return null
  const { openObjects } = await import('./open-objects.ts')
  const store = await openObjects(parts)
  opening.defer(() => store.close())
  // While this machine holds a lease, no move of the rows begins; a move that ended before has left its mark.
  await refuseMovedAway(parts.rows)
  return store
}

/** Resumable uploads stored in the bucket. */
export async function openSharedUploadsOf(parts: {
  readonly content: Pick<OpenContent, 'shared'>
  /** Rows in PostgreSQL. */
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): Promise<ResumableUploads> {
  const { content, rows, clock, log } = parts
  if (content.shared === null) throw new Error('no bucket is configured')
  const { objects, ids } = content.shared
  const { openUploads } = await import('./open-objects.ts')
  return await openUploads({ rows, objects, ids, clock, log })
}

/** The configured gateways for file blocks. */
export function gatewaysOf({ fileSources }: Config): readonly FileSourceConfig[] {
  return fileSources
}
