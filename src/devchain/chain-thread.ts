// The pool and the block making of an embedded chain. Sends tasks to the chain thread, which starts at the first task and again
// after it died. Accounts take turns and the queue is bounded. A cancelled task leaves the queue immediately.
// Tested by src/devchain/embedded-network.test.ts
import { MessageChannel } from 'node:worker_threads'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { type TransactionPool, createReadyTransactions } from '../chain/transaction-pool.ts'
import type { CallOwner } from '../chain/computation.ts'
import type { DevResults } from '../chain/dev-chain.ts'
import type { EvmExecutor } from '../chain/evm-executor.ts'
import type { MessagePort, Worker } from 'node:worker_threads'
import type { ForkPoint } from './fork/fork-point.ts'
import { answerRead, type ForkRead, type ReadFork } from './fork/fork-reads.ts'
import type { Genesis } from '../evm/genesis.ts'
import type { CallExecutor } from './call-thread.ts'
import type { BlockId, SignedTransaction } from './chain-index.ts'
import { CallQueue } from '../evm/threads/call-queue.ts'
import type { QueueLimits } from '../evm/threads/call-queue.ts'
import { reasonOf, unpackFailure } from '../evm/threads/packed-failure.ts'
import { recoverAhead } from './recover-ahead.ts'
import { startChainWorker } from './start-chain-worker.ts'
import type {
  ChainThreadMessage,
  ChainThreadTask,
  ChainResult,
  ChainResults,
  ChainTask,
} from './chain-thread-tasks.ts'

export type ChainThreadOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly connectWriter: () => MessagePort
  readonly mining: 'auto' | 'off'
  readonly accounts: readonly Uint8Array[]
  /** The accounts of dev-accounts.ts may send without a signature of the client. */
  readonly isUnlocked: boolean
  /** `load`: fetches and stores content that the thread lacks. Null: the chain has a genesis block of its own. */
  readonly fork: { readonly point: ForkPoint; readonly load: ReadFork } | null
  readonly onBlock: (block: BlockId, signed: readonly SignedTransaction[]) => void
  /** Called after blocks left the chain, newest first. `block` is the new head. */
  readonly onRewind: (block: BlockId, removed: readonly BlockId[]) => void
  /** Called when the thread died: a block may have become durable without a `block` message. */
  readonly onDeath: () => void
  readonly log: Log
  /** A thread that runs already, for the first start. Null: a thread starts with the first task. */
  readonly startedAhead: Worker | null
}

/** The part of an executor that runs in the chain thread. */
type ChainExecutor = Omit<EvmExecutor, keyof CallExecutor>

export type ChainThread = {
  readonly pool: TransactionPool
  readonly executor: ChainExecutor
  /** `lastNumber`: number of the last stored block. */
  importChain(path: string, lastNumber: bigint, signal: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** Accounts take turns. The thread holds two tasks of an account, so that it can start the second when the first ends. */
const queueLimits: QueueLimits = {
  queuedPerAccountMax: 512,
  queuedMax: 1024,
  activePerAccountMax: 2,
  activeMax: 16,
}
/** Tasks of the server itself. */
const serverOwner: CallOwner = { accountId: '', keyId: '' }

type QueuedTask = CallOwner & {
  readonly id: number
  readonly task: ChainTask
  readonly transfer: readonly MessagePort[]
  readonly resolve: (result: ChainResult) => void
  readonly reject: (error: unknown) => void
}

export function createChainThread(options: ChainThreadOptions): ChainThread {
  const { log, network } = options
  const queue = new CallQueue<QueuedTask>(queueLimits)
  const arrivals = createReadyTransactions()
  let worker: Worker | null = null
  let { startedAhead } = options
  let nextId = 1
  let closed = false

  function start(): Worker {
    const { genesis, databasePath, mining, isUnlocked } = options
    const fork = options.fork?.point ?? null
    const writerPort = options.connectWriter()
    const started = startedAhead ?? startChainWorker()
    startedAhead = null
    let cause: unknown = new Error('the chain thread ended')
    started.on('message', receive)
    started.on('error', (error) => (cause = error))
    started.on('exit', () => {
      if (worker !== started) return
      worker = null
      if (!closed) options.onDeath()
      if (!closed) log('error', 'chain.thread_died', { network, cause })
      const fault = closed ? new Fault('shutting_down') : new Fault('internal', { cause })
      for (const entry of Array.from(queue.active.values())) end(entry).reject(fault)
    })
    const data = { network, genesis, databasePath, writerPort, mining, isUnlocked, fork }
    const opening: ChainThreadTask = { kind: 'open', data }
    started.postMessage(opening, [writerPort])
    return started
  }

  function end(entry: QueuedTask): QueuedTask {
    queue.remove(entry)
    beginNext()
    if (queue.size === 0) worker?.unref()
    return entry
  }

  function beginNext(): void {
    if (closed) return
    for (let next = queue.begin(); next !== null; next = queue.begin()) {
      worker ??= start()
      worker.ref()
      send({ kind: 'run', id: next.id, task: next.task }, next.transfer)
    }
  }

  function receive(message: ChainThreadMessage): void {
    if (message.kind === 'block') return options.onBlock(message.block, message.signed)
    if (message.kind === 'rewound') return options.onRewind(message.block, message.removed)
    if (message.kind === 'ready') return arrivals.add(message.hash)
    if (message.kind === 'need') return void answer(message.id, message.read)
    const entry = queue.active.get(message.id)
    if (entry === undefined) return
    end(entry)
    if (message.kind === 'done') entry.resolve(message.result)
    else entry.reject(unpackFailure(message.failure))
  }

  async function answer(id: number, read: ForkRead): Promise<void> {
    const requester = worker
    if (options.fork === null) throw new TypeError('the chain thread reads a fork that is none')
    const result = await answerRead(read, options.fork.load)
    // A thread that died in the meantime has lost its reads.
    if (requester !== null && requester === worker) send({ kind: 'have', id, result })
  }

  function send(message: ChainThreadTask, transfer: readonly MessagePort[] = []): void {
    worker?.postMessage(message, transfer)
  }

  async function run<Task extends ChainTask>(
    task: Task,
    { accountId, keyId }: CallOwner,
    signal: AbortSignal,
    transfer: readonly MessagePort[] = [],
  ): Promise<ChainResults[Task['kind']]> {
    if (closed) throw new Fault('shutting_down')
    if (signal.aborted) throw reasonOf(signal)
    const id = nextId++
    let cancel = () => {}
    try {
      return await new Promise<ChainResults[Task['kind']]>((resolve, reject) => {
        // The thread answers each task with the result of its kind (chain-worker.ts, run).
        const answer = resolve as (result: ChainResult) => void
        const entry = { id, accountId, keyId, task, transfer, resolve: answer, reject }
        queue.add(entry)?.reject(new Fault('overloaded'))
        cancel = () => {
          if (queue.active.has(id)) send({ kind: 'cancel', id })
          end(entry).reject(reasonOf(signal))
        }
        signal.addEventListener('abort', cancel, { once: true })
        beginNext()
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  const pool: TransactionPool = {
    level: 'trusted',
    arrivals,
    send: (raw, signal, owner = serverOwner) => run({ kind: 'send', raw }, owner, signal),
    pendingNonce: (address, signal, owner = serverOwner) =>
      run({ kind: 'nonce', address }, owner, signal),
    // A thread that has not started has an empty pool.
    pendingTransaction: async (hash, signal, owner = serverOwner) =>
      worker === null ? null : await run({ kind: 'pending', hash }, owner, signal),
  }

  const executor: ChainExecutor = {
    accounts: options.accounts,
    poolContent: async (sender, signal, owner = serverOwner) =>
      worker === null
        ? { pending: [], queued: [] }
        : await run({ kind: 'pool', sender }, owner, signal),
    poolCounts: async (signal, owner = serverOwner) =>
      worker === null ? { pending: 0, queued: 0 } : await run({ kind: 'counts' }, owner, signal),
    pendingBlock: (signal, owner = serverOwner) => run({ kind: 'preview' }, owner, signal),
    mine: async (signal, owner = serverOwner) => ({
      network,
      ...(await run({ kind: 'mine' }, owner, signal)),
    }),
    dev: {
      async run(order, signal, owner = serverOwner) {
        const result = await run({ kind: 'order', order }, owner, signal)
        // The thread answers each order with the result of its kind (engine/dev-orders.ts).
        return result as DevResults[(typeof order)['kind']]
      },
    },
  }

  return {
    pool,
    executor,
    async importChain(path, lastNumber, signal) {
      const { port1, port2 } = new MessageChannel()
      let isDone = false
      const added = run({ kind: 'import', path, signers: port2 }, serverOwner, signal, [
        port2,
      ]).finally(() => {
        isDone = true
      })
      // This thread would only wait while the chain thread starts and runs earlier tasks: it recovers signers in that time.
      const ahead = recoverAhead(path, { lastNumber, port: port1, isDone: () => isDone })
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
      for (const entry of queue.clear()) entry.reject(new Fault('shutting_down'))
      if (ending === null) return
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      ending.ref()
      send({ kind: 'close' })
      await ended
    },
  }
}
