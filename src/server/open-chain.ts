// Opens the embedded chain of the settings: genesis, mining mode, and an optional import of blocks.
// Tested by test/server/start.test.ts
import { join } from 'node:path'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Log, silentLog } from '../base/log.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { lockFolder } from '../db/lock.ts'
import { type Database, openDatabase } from '../db/sqlite.ts'
import { type ThreadWriter, startThreadWriter } from '../db/thread-writer.ts'
import {
  type EmbeddedFork,
  type EmbeddedNetwork,
  openEmbeddedNetwork,
} from '../devchain/embedded-network.ts'
import { type Genesis, parseGenesis } from '../evm/genesis.ts'
import type { ChainWorker } from '../devchain/start-chain-worker.ts'
import type { BlockRef } from '../chain/head.ts'
import { type ForkPoint, forkMismatch, parseFork, readFork } from '../devchain/fork/fork-point.ts'
import { forkedGenesis, startFork } from '../devchain/fork/start-fork.ts'
import { makeDataFolder } from './make-data-folder.ts'
import { existsSync, readFileSync } from 'node:fs'
import type { EmbeddedNetworkConfig } from '../config/network-config.ts'
import { type Config, embeddedChain } from '../config/settings.ts'
import { type Obtainer, createObtain } from '../content/obtain.ts'
import { verify } from '../content/verified-finds.ts'
import { createInlineWriter } from '../db/inline-writer.ts'
import { blobFeeFraction, feeRulesAt } from '../evm/blob-schedule.ts'
import { createChainHead } from '../devchain/chain-head.ts'
import { type ChainIndex, openChainIndex } from '../devchain/chain-index.ts'
import { defaultGenesis } from '../devchain/default-genesis.ts'
import { buildFirstBlock } from '../devchain/first-block.ts'
import { obtainEmbedded } from '../devchain/embedded-content.ts'
import { refuseOtherChain } from '../devchain/start-point.ts'
import { emptyPool } from '../chain/transaction-pool.ts'
import type { Network } from '../chain/network.ts'
import { createAccountMemory, createHeaderMemory } from '../chain/proved-memory.ts'
import type { LocalStore } from '../content/block-store.ts'
import { rememberBlock } from '../chain/blocks.ts'
import { countBlocks } from '../devchain/count-blocks.ts'
import type { SenderCache } from '../chain/sender-cache.ts'
import { scheduleOf } from './open-proved-calls.ts'

type Parts = {
  readonly dataDir: string
  /** Maximum size of the database; null: limited by the disk. */
  readonly storeBytesMax: number | null
  /** The embedded chain as a network. */
  readonly name: string
  readonly genesis: Genesis
  readonly blocksFile: string
  /** From `startChainWorker`. The worker stops after the import. */
  readonly worker: ChainWorker
  readonly log: Log
  /** Called after each new block with its number. */
  readonly onBlock: (number: bigint) => void
  /** Called with the head that the import starts from. */
  readonly onStart: (number: bigint) => void
}

/**
 * Resolves with the number of new blocks and the resulting head. Rejects with a sentence for the operator: a server uses the
 * folder, it contains another chain, or a block is invalid; the blocks before that stay stored.
 */
export async function importChain(
  parts: Parts,
): Promise<{ readonly added: number; readonly head: BlockRef }> {
  const { dataDir, storeBytesMax, name } = parts
  await using running = new AsyncDisposableStack()
  makeDataFolder(dataDir)
  running.defer(lockFolder(dataDir))
  const path = join(dataDir, 'cairn.db')
  const writer = await startThreadWriter({
    path,
    ...(storeBytesMax === null ? {} : { bytesMax: storeBytesMax }),
    // Rejects all pending calls of the worker, and so the import.
    onDeath: () => {},
  })
  running.defer(() => writer.close())
  const database = openDatabase(path, { readOnly: true })
  running.defer(() => database.close())
  const chain = await openEmbeddedNetwork({
    name,
    genesis: parts.genesis,
    database,
    store: createSqliteStore({ db: database, writer }),
    databasePath: path,
    connectWriter: () => writer.connect(),
    mining: 'off',
    startedAhead: parts.worker,
    clock: systemClock,
    log: parts.log,
  })
  running.defer(() => chain.close())
  parts.onStart(chain.head.latest().number)
  const stopWatch = chain.head.watch(({ added }) => {
    for (const { number } of added) parts.onBlock(number)
  })
  running.defer(stopWatch)
  const added = await chain.importChain(parts.blocksFile, new AbortController().signal)
  return { added, head: chain.head.latest() }
}

type StoredChain = { readonly network: Network; close(): void }

const readOnlyHeadersMax = 16

/** Throws an Error with a sentence for the operator if no chain is stored. */
export function openStoredChain(config: Config): StoredChain {
  const chain = embeddedChain(config)
  if (chain === null) {
    throw new Error(
      'no embedded chain in the settings: query a running server with --url and --key',
    )
  }
  const path = join(config.dataDir, 'cairn.db')
  if (!existsSync(path)) throw new Error(`no chain in ${config.dataDir}: start the server once`)
  const db = openDatabase(path, { readOnly: true })
  try {
    const index = openChainIndex(db, chain.name)
    const start = index.head()
    if (start === null) {
      throw new Error(`no chain "${chain.name}" in ${config.dataDir}: start the server once`)
    }
    const { name } = chain
    const genesis = storedGenesis(config, chain, { index, fork: readFork(db, name) })
    const { obtain, peek, peekNode } = createObtain({
      store: createSqliteStore({ db, writer: createInlineWriter(db) }),
      sourcesFor: () => [],
      verify,
      clock: systemClock,
      log: silentLog,
      count: () => {},
    })
    const network: Network = {
      name,
      chainId: genesis.chainId,
      head: createChainHead(name, index, start),
      obtain: obtainEmbedded(obtain, index),
      peek,
      peekNode,
      headers: createHeaderMemory(readOnlyHeadersMax),
      hint: { network: name },
      pool: emptyPool,
      executor: null,
      relay: null,
      blobFeeFraction: (timestamp) => blobFeeFraction(genesis.config, timestamp),
      feeRules: (timestamp) => feeRulesAt(genesis.config, timestamp),
      forkConfigs: () => null,
    }
    return { network, close: () => db.close() }
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** Throws an Error with a sentence for the operator if the stored chain is not that of the settings. */
function storedGenesis(
  config: Config,
  { name, genesisFile, fork: text }: EmbeddedNetworkConfig,
  stored: { readonly index: ChainIndex; readonly fork: ForkPoint | null },
): Genesis {
  const { index, fork } = stored
  const mismatch = fork && forkMismatch(name, fork, text === null ? null : parseFork(text))
  if (mismatch !== null) throw new Error(mismatch)
  if (fork !== null) return genesisOfFork(config, fork.source)
  const genesis =
    genesisFile === null
      ? defaultGenesis
      : parseGenesis(JSON.parse(readFileSync(genesisFile, 'utf8')))
  // Headers do not commit to the chain ID, so the stored blocks of another genesis could get this ID.
  refuseOtherChain(name, index, buildFirstBlock(genesis).hash)
  return genesis
}

/** Cached decoded headers per network, about 2 KB each. */
const headersMax = 4_096
/** Cached proved accounts per network, about 1 KB each. */
const accountsMax = 4_096

/** Called after each block of `blocksFile` with the number of imported blocks and the total. */
export type OnImport = (done: number, total: number) => void

type OpenChainParts = {
  readonly config: Config
  readonly database: Database
  readonly store: LocalStore
  readonly obtaining: Obtainer
  /** The database file, opened by the chain's own threads. */
  readonly path: string
  readonly writer: ThreadWriter
  readonly clock: Clock
  readonly log: Log
  readonly onImport: OnImport
  readonly onSigned: SenderCache['note']
  /** A network of the settings as currently served, for a fork; null: not served. */
  readonly findNetwork: (name: string) => Network | null
}

export type OpenChain = {
  readonly network: Network
  close(): Promise<void>
}

/**
 * Resolves when the chain is at its last block, including those of `blocksFile`. Rejects with a
 * sentence for the operator: unreadable genesis or blocks, another chain in the folder. Requires settings
 * with an embedded chain.
 */
export async function openChain(parts: OpenChainParts): Promise<OpenChain> {
  const { config, database, store, path, writer, clock, log } = parts
  const chain = embeddedChain(config)
  if (chain === null) throw new TypeError('the settings name no embedded chain')
  const { name, genesisFile, blocksFile, mining, blockSeconds } = chain
  const fork = chain.fork === null ? null : await openFork(parts, name, chain.fork)
  const genesis =
    genesisFile === null
      ? {}
      : { genesis: parseGenesis(JSON.parse(readFileSync(genesisFile, 'utf8'))) }
  const embedded = await openEmbeddedNetwork({
    name,
    database,
    store,
    databasePath: path,
    connectWriter: () => writer.connect(),
    mining: mining === 'interval' ? { everySeconds: blockSeconds } : mining,
    clock,
    log,
    onSigned: parts.onSigned,
    ...genesis,
    ...fork,
  })
  if (blocksFile !== null) {
    const total = await countBlocks(blocksFile)
    const stop = embedded.head.watch(({ added }) => {
      for (const { number } of added) if (total !== null) parts.onImport(Number(number), total)
    })
    const blocks = await embedded.importChain(blocksFile, new AbortController().signal)
    stop()
    log('info', 'chain_imported', { network: name, blocks })
  }
  const network = asNetwork(name, embedded, parts.obtaining)
  embedded.head.watch(({ added }) => {
    for (const block of added) rememberBlock(network, block)
  })
  return {
    network,
    close: () => embedded.close(),
  }
}

type OpenedFork = { readonly fork: EmbeddedFork; readonly genesis: Genesis }

/** `text`: `chain.fork`. Throws as `startFork`, and an Error if the rules of the network are unknown. */
async function openFork(
  { config, database, store, clock, findNetwork }: OpenChainParts,
  network: string,
  text: string,
): Promise<OpenedFork> {
  const requested = parseFork(text)
  const source = () => findNetwork(requested.source)
  const genesis = genesisOfFork(config, requested.source)
  const point = await startFork({ network, requested, source, database, store, clock })
  return { genesis, fork: { point, source } }
}

/** Genesis of the network with this name in the settings. Throws an Error with a sentence for the operator. */
function genesisOfFork(config: Config, name: string): Genesis {
  const listed = config.networks?.find((one) => one.name === name)
  if (listed === undefined || listed.embedded) {
    throw new Error(
      `the settings name no network ${name} with upstreams, which the chain is forked from`,
    )
  }
  const schedule = scheduleOf(listed)
  if (schedule === null) {
    throw new Error(
      `${name} cannot be forked: its fork schedule is not known. Set genesisFile of the network to its genesis.json`,
    )
  }
  return forkedGenesis(listed.chainId, schedule.config)
}

function asNetwork(
  name: string,
  embedded: EmbeddedNetwork,
  { obtain, peek, peekNode }: Obtainer,
): Network {
  const { chainId, head, firstBlock, pool, executor } = embedded
  const { blobFeeFraction, feeRules, forkConfigs } = embedded
  const headers = createHeaderMemory(headersMax)
  const hint = { network: name }
  return {
    name,
    chainId,
    head,
    firstBlock,
    pool,
    executor,
    relay: null,
    blobFeeFraction,
    feeRules,
    forkConfigs,
    obtain: embedded.embeddedContent(obtain),
    peek,
    peekNode,
    headers,
    accounts: createAccountMemory(accountsMax),
    hint,
  }
}
