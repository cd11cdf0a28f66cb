// Opens the chain in this process's data folder: makes its first block if there is none, resumes at its head, and runs its EVM
// in threads that start at their first use: one for making blocks, others only for calls.
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
import type { Network } from '../chain/network.ts'
import type { ForkConfigs } from '../chain/fork-configs.ts'
import type { Head } from '../chain/head.ts'
import type { TransactionPool } from '../chain/transaction-pool.ts'
import { blobFeeFraction, feeRulesAt } from '../evm/blob-schedule.ts'
import { createCallThread } from './call-thread.ts'
import { createChainHead } from './chain-head.ts'
import { openChainIndex } from './chain-index.ts'
import { defaultGenesis } from './default-genesis.ts'
import { devAccounts } from './dev-accounts.ts'
import type { Genesis } from '../evm/genesis.ts'
import { forkConfigs } from '../evm/fork-config.ts'
import { callsBeforeFork } from './fork/calls-before-fork.ts'
import { fundedAccounts } from './fork/first-block.ts'
import { createForkLoader } from './fork/fork-loader.ts'
import { firstNumber, type ForkPoint, forkMismatch, readFork } from './fork/fork-point.ts'
import { createForkedHead, obtainForked } from './fork/forked-reads.ts'
import { findStart, resumeFork } from './start-point.ts'
import { createIntervalMining } from './interval-mining.ts'
import { obtainEmbedded } from './embedded-content.ts'
import { createChainThread } from './chain-thread.ts'
import type { TimeSliceLimits } from '../evm/time-slice.ts'

export type EmbeddedOptions = {
  readonly name: string
  /** For reads of index rows in this thread. */
  readonly database: Database
  readonly store: LocalStore
  /** The database file: each thread opens it read-only. */
  readonly databasePath: string
  /** Returns a new port to the writer thread for each start of the chain thread (`ThreadWriter.connect`). */
  readonly connectWriter: () => MessagePort
  readonly log: Log
  /** Default: the chain of default-genesis.ts. */
  readonly genesis?: Genesis
  /** Default: the chain begins with the genesis block. */
  readonly fork?: EmbeddedFork | null
  /**
   * `auto`: one block per transaction. `off`: only `mine` makes blocks. With `everySeconds`, a block is also made in every
   * such period, empty if no transaction waits. Default `auto`.
   */
  readonly mining?: 'auto' | 'off' | { readonly everySeconds: number }
  readonly clock: Clock
  /** Gas limit of a call or an estimate. Default 50 million. */
  readonly callGasMax?: bigint
  /** Time limits of a call. Default: evm/time-slice.ts. */
  readonly turnLimits?: TimeSliceLimits
  /** Thread from `startChainWorker`, if it was started early. Default: the thread starts with its first task. */
  readonly startedAhead?: Worker
  /** Called with the signer of each transaction of a new block, to save a second recovery. */
  readonly onSigned?: (hash: Uint8Array, sender: Uint8Array) => void
}

/** A fork that `startFork` has resolved. Its genesis is that of `forkedGenesis`. */
export type EmbeddedFork = {
  readonly point: ForkPoint
  /** The forked network; null: the settings no longer name it. */
  readonly source: () => Network | null
}

export type EmbeddedNetwork = {
  readonly chainId: bigint
  readonly head: Head
  /** See `Network`. */
  readonly firstBlock: bigint
  /** See `obtainEmbedded`. */
  readonly embeddedContent: (obtain: Obtain) => Obtain
  readonly pool: TransactionPool
  readonly executor: EvmExecutor
  blobFeeFraction(timestamp: bigint): bigint | null
  feeRules(timestamp: bigint): FeeRules
  forkConfigs(timestamp: bigint): ForkConfigs | null
  /**
   * Runs the blocks 1, 2, ... of a chain file (concatenated RLP blocks) that the chain lacks. Resolves with the number of added
   * blocks. Each block is added atomically, so a repeated import resumes where a failed one stopped.
   */
  importChain(path: string, signal: AbortSignal): Promise<number>
  /** Waits until the chain thread has committed its current block, then ends the threads. */
  close(): Promise<void>
}

const defaultCallGasMax = 50_000_000n

/** Throws an Error with a message for the operator if the data folder holds another chain. */
export async function openEmbeddedNetwork(options: EmbeddedOptions): Promise<EmbeddedNetwork> {
  const { name, database, store, log, genesis = defaultGenesis, mining = 'auto' } = options
  const { fork = null, clock } = options
  const index = openChainIndex(database, name)
  refuseFork(database, name, fork)
  const starting = { network: name, store, index, log }
  const start =
    fork === null
      ? await findStart({ ...starting, genesis })
      : await resumeFork(starting, fork.point)
  const failed = (error: unknown): void => {
    log('error', backgroundFailed, { in: 'chain head', network: name, error })
  }
  const ownHead = createChainHead(name, index, start, failed)
  const isDefault = genesis === defaultGenesis || fork !== null
  const loader = fork === null ? null : createForkLoader({ ...fork, store, clock })
  const loaded = fork === null || loader === null ? null : { point: fork.point, load: loader.load }
  const thread = createChainThread({
    network: name,
    genesis,
    databasePath: options.databasePath,
    connectWriter: options.connectWriter,
    mining: mining === 'auto' ? 'auto' : 'off',
    accounts: isDefault ? devAccounts.map((it) => fromHex(it.address)) : [],
    isUnlocked: isDefault,
    fork: loaded,
    onBlock(block, signed) {
      for (const { hash, sender } of signed) options.onSigned?.(hash, sender)
      ownHead.advance(block)
    },
    onRewind: (block, removed) => ownHead.rewind(block, removed),
    startedAhead: options.startedAhead ?? null,
    onDeath() {
      try {
        ownHead.moveTo(index.head() ?? start)
      } catch (error) {
        failed(error)
      }
    },
    log,
  })
  const isPending = async (hash: Uint8Array, signal: AbortSignal): Promise<boolean> =>
    (await thread.pool.pendingTransaction(hash, signal)) !== null
  const head =
    fork === null || loader === null
      ? ownHead
      : createForkedHead({ ...fork, network: name, loader, isPending }, ownHead)
  const configured = typeof mining === 'object' ? mining.everySeconds * 1000 : 0
  const interval = createIntervalMining(index.plan().mining.intervalMs ?? configured, {
    clock,
    executor: thread.executor,
    log,
  })
  const calls = createCallThread({
    network: name,
    genesis,
    databasePath: options.databasePath,
    callGasMax: options.callGasMax ?? defaultCallGasMax,
    fork: loaded,
    clock,
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
  const callExecutor =
    fork === null || loader === null
      ? calls.executor
      : callsBeforeFork(calls.executor, { point: fork.point, loader })
  const close = async (): Promise<void> => {
    interval.stop()
    loader?.close()
    await Promise.all([thread.close(), calls.close()])
  }
  if (fork !== null && start.number === fork.point.number) {
    try {
      await dev.run({ kind: 'change', changes: fundedAccounts }, new AbortController().signal)
    } catch (cause) {
      await close()
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`network "${name}": the first block of the fork cannot be made: ${why}`, {
        cause,
      })
    }
  }
  return {
    chainId: genesis.chainId,
    head,
    firstBlock: firstNumber(fork?.point ?? null),
    embeddedContent(obtain) {
      const obtainLocal = obtainEmbedded(obtain, index)
      return fork === null
        ? obtainLocal
        : obtainForked({ point: fork.point, index }, obtain, obtainLocal)
    },
    pool: thread.pool,
    executor: { ...thread.executor, ...callExecutor, dev },
    blobFeeFraction: (timestamp) => blobFeeFraction(genesis.config, timestamp),
    feeRules: (timestamp) => feeRulesAt(genesis.config, timestamp),
    forkConfigs(timestamp) {
      const first = index.hashOf(0n)
      return first === null ? null : forkConfigs(genesis, first, timestamp)
    },
    importChain: (path, signal) => thread.importChain(path, head.latest().number, signal),
    close,
  }
}

/** Throws an Error with a message for the operator if the folder holds another fork than `fork`, or one and `fork` is null. */
function refuseFork(database: Database, network: string, fork: EmbeddedFork | null): void {
  const recorded = readFork(database, network)
  const mismatch = recorded === null ? null : forkMismatch(network, recorded, fork?.point ?? null)
  if (mismatch !== null) throw new Error(mismatch)
}
