// The pool and the block making of an embedded chain: sends tasks to the chain thread, which starts at the
// first of them and again after it died. What waits is bounded; a caller that gives up leaves at once.
// Tested by src/ethereum/embedded/embedded-network.test.ts
import { MessageChannel } from 'node:worker_threads'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { createArrivals } from '../arrivals.ts'
import type { Executor } from '../executor.ts'
import type { TransactionPool } from '../transaction-pool.ts'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { Genesis } from './genesis.ts'
import type { CallExecutor } from './call-thread.ts'
import type { BlockPlace, Signed } from './chain-index.ts'
import { reasonOf, unpackFailure } from './packed-failure.ts'
import { recoverAhead } from './recover-ahead.ts'
import { startChainWorker } from './start-chain-worker.ts'
import type {
  ChainNews,
  ChainOrder,
  ChainResult,
  ChainResults,
  ChainTask,
  ChainThreadData,
} from './chain-order.ts'

export type ChainThreadOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly connectWriter: () => MessagePort
  readonly mining: 'auto' | 'off'
  readonly accounts: readonly Uint8Array[]
  readonly onBlock: (block: BlockPlace, signed: readonly Signed[]) => void
  /** Told when the thread died: a block may have become durable without news of it. */
  readonly onDeath: () => void
  readonly log: Log
  /** For the first start; null: it starts with the first task. */
  readonly startedAhead: Worker | null
}

/** The part of an Executor that belongs to the chain itself. */
type ChainExecutor = Omit<Executor, keyof CallExecutor>

export type ChainThread = {
  readonly pool: TransactionPool
  readonly executor: ChainExecutor
  /** `after`: the number of the last block that is there. */
  importChain(path: string, after: bigint, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** Tasks that may wait for an answer; one more is refused with `overloaded`. */
const tasksMax = 1024

type Waiter = {
  readonly resolve: (result: ChainResult) => void
  readonly reject: (error: unknown) => void
}

export function createChainThread(options: ChainThreadOptions): ChainThread {
  const { log, network } = options
  const waiting = new Map<number, Waiter>()
  const arrivals = createArrivals()
  let worker: Worker | null = null
  let { startedAhead } = options
  let nextId = 1
  let closed = false

  function start(): Worker {
    const { genesis, databasePath, mining } = options
    const writerPort = options.connectWriter()
    const started = startedAhead ?? startChainWorker()
    startedAhead = null
    let cause: unknown = new Error('the chain thread ended')
    started.on('message', hear)
    started.on('error', (error) => (cause = error))
    started.on('exit', () => {
      if (worker !== started) return
      worker = null
      if (!closed) options.onDeath()
      if (!closed) log('error', 'chain.thread_died', { network, cause })
      const fault = closed ? new Fault('shutting_down') : new Fault('internal', { cause })
      for (const id of waiting.keys()) take(id)?.reject(fault)
    })
    const data: ChainThreadData = { network, genesis, databasePath, writerPort, mining }
    started.postMessage({ kind: 'open', data } satisfies ChainOrder, [writerPort])
    return started
  }

  function take(id: number): Waiter | undefined {
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) worker?.unref()
    return waiter
  }

  function hear(news: ChainNews): void {
    if (news.kind === 'block') options.onBlock(news.block, news.signed)
    else if (news.kind === 'ready') arrivals.add(news.hash)
    else if (news.kind === 'done') take(news.id)?.resolve(news.result)
    else take(news.id)?.reject(unpackFailure(news.failure))
  }

  function order(message: ChainOrder, transfer: readonly MessagePort[] = []): void {
    worker?.postMessage(message, transfer)
  }

  async function run<Task extends ChainTask>(
    task: Task,
    signal: AbortSignal,
    transfer: readonly MessagePort[] = [],
  ): Promise<ChainResults[Task['kind']]> {
    if (closed) throw new Fault('shutting_down')
    if (waiting.size >= tasksMax) throw new Fault('overloaded')
    if (signal.aborted) throw reasonOf(signal)
    worker ??= start()
    worker.ref()
    const id = nextId++
    let leave = () => {}
    try {
      return await new Promise<ChainResults[Task['kind']]>((resolve, reject) => {
        // The thread answers each task with the result of its kind (chain-worker.ts, run).
        waiting.set(id, { resolve: resolve as (result: ChainResult) => void, reject })
        leave = () => {
          order({ kind: 'cancel', id })
          take(id)
          reject(reasonOf(signal))
        }
        signal.addEventListener('abort', leave, { once: true })
        order({ kind: 'run', id, task }, transfer)
      })
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  const pool: TransactionPool = {
    level: 'trusted',
    arrivals,
    send: (raw, signal) => run({ kind: 'send', raw }, signal),
    pendingNonce: (address, signal) => run({ kind: 'nonce', address }, signal),
    // Nothing can wait in the pool of a thread that has not started.
    pendingTransaction: async (hash, signal) =>
      worker === null ? null : await run({ kind: 'pending', hash }, signal),
  }

  const executor: ChainExecutor = {
    accounts: options.accounts,
    poolContent: async (sender, signal) =>
      worker === null ? { pending: [], queued: [] } : await run({ kind: 'pool', sender }, signal),
    poolCounts: async (signal) =>
      worker === null ? { pending: 0, queued: 0 } : await run({ kind: 'counts' }, signal),
    pendingBlock: (signal) => run({ kind: 'preview' }, signal),
    mine: async (signal) => ({ network, ...(await run({ kind: 'mine' }, signal)) }),
  }

  return {
    pool,
    executor,
    async importChain(path, after, signal) {
      const { port1, port2 } = new MessageChannel()
      let isOver = false
      const added = run({ kind: 'import', path, signers: port2 }, signal, [port2]).finally(() => {
        isOver = true
      })
      // While the thread starts, and runs what comes first, this one waits for it.
      const ahead = recoverAhead(path, { after, port: port1, isOver: () => isOver })
      try {
        return await added
      } finally {
        await ahead
      }
    },
    async close() {
      if (closed) return
      closed = true
      const ending = worker
      if (ending === null) return
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      ending.ref()
      order({ kind: 'close' })
      await ended
    },
  }
}
