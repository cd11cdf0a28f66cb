// Opens the chain that lives in this process's own data folder: makes its first block if there is none,
// resumes at its head, and runs its EVM in two threads that start at their first use: one makes blocks, one
// only calls.
import { type Clock, backgroundFailed } from '../base/clock.ts'
import { fromHex } from '../base/hex.ts'
import type { Log } from '../base/log.ts'
import type { Obtain } from '../content/ref.ts'
import type { LocalStore } from '../content/block-store.ts'
import type { Database } from '../db/sqlite.ts'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { DevChain } from '../chain/dev-chain.ts'
import type { EvmExecutor } from '../chain/evm-executor.ts'
import type { FeeRules } from '../chain/fee-rules.ts'
import type { ForkConfigs } from '../chain/fork-configs.ts'
import type { Head } from '../chain/head.ts'
import type { TransactionPool } from '../chain/transaction-pool.ts'
import { blobFeeFraction, feeRulesAt } from './blob-schedule.ts'
import { createCallThread } from './call-thread.ts'
import { createChainHead } from './chain-head.ts'
import { openChainIndex } from './chain-index.ts'
import { defaultGenesis } from './default-genesis.ts'
import { devAccounts } from './dev-accounts.ts'
import type { Genesis } from './genesis.ts'
import { forkConfigs } from './fork-config.ts'
import { findStart } from './start-point.ts'
import { createIntervalMining } from './interval-mining.ts'
import { obtainEmbedded } from './embedded-content.ts'
import { createChainThread } from './chain-thread.ts'
import type { TimeSliceLimits } from './vm/time-slice.ts'

export type EmbeddedOptions = {
  readonly name: string
  /** For reads of index rows on this thread. */
  readonly database: Database
  readonly store: LocalStore
  /** The database file: each thread opens it read-only for itself. */
  readonly databasePath: string
  /** A new port to the writer thread for each start of the chain thread (`ThreadWriter.connect`). */
  readonly connectWriter: () => MessagePort
  readonly log: Log
  /** Default: the chain of default-genesis.ts. */
  readonly genesis?: Genesis
  /**
   * `auto`: one block a transaction. `off`: only `mine` makes blocks. With `everySeconds` one is made in every
   * such period too, empty when nothing waits. Default `auto`.
   */
  readonly mining?: 'auto' | 'off' | { readonly everySeconds: number }
  readonly clock: Clock
  /** Most gas a call or an estimate may use. Default 50 million. */
  readonly callGasMax?: bigint
  /** How long a call may run. Default: vm/time-slice.ts. */
  readonly turnLimits?: TimeSliceLimits
  /** `startChainWorker`, for who knows that it will be needed. Default: it starts at the first need. */
  readonly startedAhead?: Worker
  /** Called with the signer of each transaction of a new block, so that it need not be recovered again. */
  readonly onSigned?: (hash: Uint8Array, sender: Uint8Array) => void
}

export type EmbeddedNetwork = {
  readonly chainId: bigint
  readonly head: Head
  /** As `obtainEmbedded`. */
  readonly ownContent: (obtain: Obtain) => Obtain
  readonly pool: TransactionPool
  readonly executor: EvmExecutor
  blobFeeFraction(timestamp: bigint): bigint | null
  feeRules(timestamp: bigint): FeeRules
  forkConfigs(timestamp: bigint): ForkConfigs | null
  /**
   * Runs blocks 1, 2, ... of a chain file (RLP blocks one after the other) that are not there yet. Resolves
   * with how many blocks were added; each is all or nothing, so a failed import goes on where it stopped.
   */
  importChain(path: string, signal: AbortSignal): Promise<number>
  /** Lets the chain thread finish the block it is committing, then ends both threads. */
  close(): Promise<void>
}

const defaultCallGasMax = 50_000_000n

/** Throws an Error with a sentence for the operator when the data folder holds another chain. */
export async function openEmbeddedNetwork(options: EmbeddedOptions): Promise<EmbeddedNetwork> {
  const { name, database, store, log, genesis = defaultGenesis, mining = 'auto' } = options
  const index = openChainIndex(database, name)
  const start = await findStart({ network: name, genesis, store, index, log })
  const failed = (error: unknown): void => {
    log('error', backgroundFailed, { in: 'chain head', network: name, error })
  }
  const head = createChainHead(name, index, start, failed)
  const isDefault = genesis === defaultGenesis
  const thread = createChainThread({
    network: name,
    genesis,
    databasePath: options.databasePath,
    connectWriter: options.connectWriter,
    mining: mining === 'auto' ? 'auto' : 'off',
    accounts: isDefault ? devAccounts.map((it) => fromHex(it.address)) : [],
    isUnlocked: isDefault,
    onBlock(block, signed) {
      for (const { hash, sender } of signed) options.onSigned?.(hash, sender)
      head.advance(block)
    },
    onRewind: (block, removed) => head.rewind(block, removed),
    startedAhead: options.startedAhead ?? null,
    onDeath() {
      try {
        head.moveTo(index.head() ?? start)
      } catch (error) {
        failed(error)
      }
    },
    log,
  })
  const configured = typeof mining === 'object' ? mining.everySeconds * 1000 : 0
  const interval = createIntervalMining(index.plan().mining.intervalMs ?? configured, {
    clock: options.clock,
    executor: thread.executor,
    log,
  })
  const calls = createCallThread({
    network: name,
    genesis,
    databasePath: options.databasePath,
    callGasMax: options.callGasMax ?? defaultCallGasMax,
    clock: options.clock,
    log,
    ...(options.turnLimits === undefined ? {} : { limits: options.turnLimits }),
  })
  const dev: DevChain = {
    async run(order, signal, owner) {
      const result = await thread.executor.dev.run(order, signal, owner)
      if (order.kind === 'plan' && order.mining?.intervalMs !== undefined) {
        interval.set(order.mining.intervalMs ?? configured)
      }
      if (order.kind === 'reset') interval.set(configured)
      return result
    },
  }
  return {
    chainId: genesis.chainId,
    head,
    ownContent: (obtain) => obtainEmbedded(obtain, index),
    pool: thread.pool,
    executor: { ...thread.executor, ...calls.executor, dev },
    blobFeeFraction: (timestamp) => blobFeeFraction(genesis.config, timestamp),
    feeRules: (timestamp) => feeRulesAt(genesis.config, timestamp),
    forkConfigs(timestamp) {
      const first = index.hashOf(0n)
      return first === null ? null : forkConfigs(genesis, first, timestamp)
    },
    importChain: (path, signal) => thread.importChain(path, head.latest().number, signal),
    async close() {
      interval.stop()
      await Promise.all([thread.close(), calls.close()])
    },
  }
}
