// Opens the content layer of a data folder: its store, its sources, and how both are verified.
// Tested by test/start.test.ts
import type { Obtain } from '../content/ref.ts'
import type { BlockStore } from '../content/block-store.ts'
import { availableParallelism } from 'node:os'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createHashWorker, type HashWorker } from '../codec/hash/hash-worker.ts'
import { createParallelVerify } from '../codec/hash/parallel-verify.ts'
import { verifyLeaf } from '../codec/ipld/verify-dag-block.ts'
import { nameKeccakKinds } from '../codec/hash/verify-keccak.ts'
import type { Config } from '../config/settings.ts'
import { createSequentialRead, type SequentialRead } from '../content/sequential-read.ts'
import { createObtain, type Obtaining } from '../content/obtain.ts'
import { createQuarantineCheck } from '../content/quarantine-check.ts'
import { defaultObtainLimits } from '../content/obtain-limits.ts'
import type { SegmentStore } from '../content/segments/segment-store.ts'
import { verify } from '../content/verified-finds.ts'
import type { Database } from '../db/sqlite.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import type { FileSourceConfig } from '../ipfs/sources/file-source.ts'
import { type BlockSources, createBlockSources } from '../ipfs/sources/block-sources.ts'
import type { Counters } from '../metrics/counters.ts'
import { createNetworkSources, type NetworkSources } from './network-sources.ts'
import { openStore } from './open-store.ts'

export type OpenContent = {
  readonly store: SegmentStore
  readonly obtaining: Obtaining
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
  readonly database: Database
  readonly bytesDb: Database
  /** Its thread also hashes. */
  readonly writer: ThreadWriter
  readonly countContent: Counters['countContent']
  /** Bytes of unfinished uploads on disk. */
  readonly uploadBytes: () => number
  readonly clock: Clock
  readonly log: Log
}): Promise<OpenContent> {
  const { config, database, bytesDb, writer, uploadBytes, countContent: count, clock, log } = parts
  await using opening = new AsyncDisposableStack()
  const hashBeside: HashWorker | null =
    availableParallelism() > 1 ? createHashWorker((module) => writer.attach(module)) : null
  const store = await openStore({
    dataDir: config.dataDir,
    database,
    bytesDb,
    writer,
    bytesMax: config.store.bytesMax,
    besideBytes: uploadBytes,
    hashBeside,
    clock,
    log,
  })
  opening.defer(() => store.close())
  const sources = createNetworkSources()
  const blockSources = createBlockSources({ clock, log })
  opening.defer(() => blockSources.close())
  await blockSources.replace(gatewaysOf(config))
  const shared = { verify, nameOf: nameKeccakKinds, clock, log, count }
  const obtaining = createObtain({
    ...shared,
    store,
    sourcesFor: (hint) => (hint.network === undefined ? blockSources.now() : sources.of(hint)),
    limits: { ...defaultObtainLimits, memoryBytesMax: config.memory.contentBytesMax },
  })
  opening.defer(() => obtaining.idle())
  const outside = createObtain({
    ...shared,
    store: Object.assign(Object.create(store) as BlockStore, {
      get: async () => null,
      peek: () => null,
      has: async () => false,
    }),
    sourcesFor: () => blockSources.now(),
    limits: { ...defaultObtainLimits, memoryBytesMax: 0 },
  })
  opening.defer(() => outside.idle())
  const { obtain } = obtaining
  const quarantine = createQuarantineCheck({ store, database, obtain, clock, log })
  opening.defer(() => quarantine.stop())
  const readRun = createSequentialRead({
    store,
    verify,
    verifyLeaf,
    verifyBeside: hashBeside === null ? null : createParallelVerify(hashBeside),
    log,
    count,
  })
  const open = opening.move()
  return {
    store,
    obtaining,
    obtainOutside: outside.obtain,
    readRun,
    sources,
    blockSources,
    close: () => open.disposeAsync(),
  }
}

/** The configured sources of file blocks. */
export function gatewaysOf({ fileSources }: Config): readonly FileSourceConfig[] {
  return fileSources.map((source) => ({ ...source, speaks: 'gateway' }))
}
