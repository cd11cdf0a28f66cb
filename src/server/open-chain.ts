// Opens the embedded chain from the settings: genesis, mining mode, blocks to import first.
// Tested by test/start.test.ts
import { readFileSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type Config, embeddedChain } from '../config/settings.ts'
import type { Obtaining } from '../content/obtain.ts'
import type { LocalStore } from '../content/block-store.ts'
import type { Database } from '../db/sqlite.ts'
import type { ThreadWriter } from '../db/thread-writer.ts'
import { rememberBlock } from '../chain/blocks.ts'
import { countBlocks } from '../devchain/count-blocks.ts'
import { type EmbeddedNetwork, openEmbeddedNetwork } from '../devchain/embedded-network.ts'
import { parseGenesis } from '../devchain/genesis.ts'
import type { Network } from '../chain/network.ts'
import { createAccountMemory, createHeaderMemory } from '../chain/proved-memory.ts'
import type { SenderCache } from '../chain/sender-cache.ts'

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
  readonly obtaining: Obtaining
  /** The database file, opened by the chain's own threads. */
  readonly path: string
  readonly writer: ThreadWriter
  readonly clock: Clock
  readonly log: Log
  readonly onImport: OnImport
  readonly onSigned: SenderCache['note']
}

type OpenChain = {
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

function asNetwork(
  name: string,
  embedded: EmbeddedNetwork,
  { obtain, peek, peekNode }: Obtaining,
): Network {
  const { chainId, head, pool, executor, blobFeeFraction, forkConfigs } = embedded
  const headers = createHeaderMemory(headersMax)
  const hint = { network: name }
  return {
    name,
    chainId,
    head,
    pool,
    executor,
    relay: null,
    blobFeeFraction,
    forkConfigs,
    obtain: embedded.ownContent(obtain),
    peek,
    peekNode,
    headers,
    accounts: createAccountMemory(accountsMax),
    hint,
  }
}
