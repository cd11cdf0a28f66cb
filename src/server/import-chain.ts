// Imports a chain file into the embedded chain of a data folder without a running server. Each block is executed and
// verified before it is stored, so an interrupted import can be continued.
// Tested by src/cli/commands/chain-import.test.ts
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { lockFolder } from '../db/lock.ts'
import { openDatabase } from '../db/sqlite.ts'
import { startThreadWriter } from '../db/thread-writer.ts'
import { openEmbeddedNetwork } from '../devchain/embedded-network.ts'
import type { Genesis } from '../devchain/genesis.ts'
import type { ChainWorker } from '../devchain/start-chain-worker.ts'
import type { BlockRef } from '../chain/head.ts'
import { makeDataFolder } from './make-data-folder.ts'

type Parts = {
  readonly dataDir: string
  /** Maximum size of the database; null: limited by the disk. */
  readonly storeBytesMax: number | null
  /** The embedded chain as a network. */
  readonly name: string
  readonly genesis: Genesis
  readonly blocksFile: string
  /** `startChainWorker`. The worker ends with the import. */
  readonly worker: ChainWorker
  readonly log: Log
  /** Called after each new block with its number. */
  readonly onBlock: (number: bigint) => void
  /** Called with the head that the import starts from. */
  readonly onStart: (number: bigint) => void
}

/**
 * Resolves with the number of new blocks and the resulting head. Rejects with a sentence for the operator: a
 * server on the folder, another chain in it, the first invalid block; blocks before it stay stored.
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
    // Rejects everything that waits for the worker, and with it the import.
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
