// Entry point of the chain thread: runs tasks one after the other and replies. It reads through its own database connection and
// writes through the writer thread. It may start before there is a chain to open.
// Tested by src/devchain/embedded-network.test.ts
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { createSqliteStore } from '../content/sqlite-store.ts'
import { verifiedFinds } from '../content/verified-finds.ts'
import { portWriter } from '../db/port-writer.ts'
import { openDatabase } from '../db/sqlite.ts'
import { openChainIndex } from './chain-index.ts'
import { devAccounts } from './dev-accounts.ts'
import { type ForkReadResult, type ReadFork, resultOf } from './fork/fork-reads.ts'
import { packFailure } from '../evm/threads/packed-failure.ts'
import { Engine } from './engine/engine.ts'
import type {
  ChainThreadMessage,
  ChainThreadTask,
  ChainResult,
  ChainTask,
  ChainThreadData,
} from './chain-thread-tasks.ts'

type Opened = { readonly engine: Engine; close(): Promise<void> }

async function open(
  data: ChainThreadData,
  post: (message: ChainThreadMessage) => void,
  read: ReadFork,
): Promise<Opened> {
  const { network, genesis, mining, isUnlocked, fork } = data
  const now = () => systemClock.now()
  const db = openDatabase(data.databasePath, { readOnly: true })
  const writer = portWriter(data.writerPort)
  const engine = await Engine.open({
    network,
    genesis,
    store: verifiedFinds(createSqliteStore({ db, writer })),
    index: openChainIndex(db, network),
    mining,
    unlocked: isUnlocked ? devAccounts : [],
    fork: fork === null ? null : { point: fork, read },
    now,
    onBlock: (block, signed) => post({ kind: 'block', block, signed }),
    onRewind: (block, removed) => post({ kind: 'rewound', block, removed }),
    onPending: (hash) => post({ kind: 'ready', hash }),
    log: createLog(
      () => 'info',
      now,
      (line) => process.stderr.write(line),
    ),
  })
  return {
    engine,
    async close() {
      await writer.close()
      db.close()
    },
  }
}

function serve(parent: MessagePort): void {
  const post = (message: ChainThreadMessage): void => parent.postMessage(message)
  let opening: Promise<Opened> | null = null
  const queued = new Map<number, ChainTask>()
  const reads = new Map<number, (result: ForkReadResult) => void>()
  let nextRead = 1
  let isRunning = false
  let isClosing = false

  async function readFork(read: Parameters<ReadFork>[0]): Promise<Uint8Array | null> {
    const id = nextRead++
    const { promise, resolve } = Promise.withResolvers<ForkReadResult>()
    reads.set(id, resolve)
    post({ kind: 'need', id, read })
    const result = await promise
    reads.delete(id)
    return resultOf(result)
  }

  async function drain(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (queued.size > 0) {
      // A task may end without leaving the microtask queue, and `cancel` arrives only between turns of the event loop.
      await setImmediate()
      const next = queued.entries().next().value
      if (next === undefined) break
      const [id, task] = next
      queued.delete(id)
      // If opening fails, the thread ends.
      const opened = await opening
      if (opened === null) throw new Error('a task before the order to open')
      try {
        post({ kind: 'done', id, result: await run(opened.engine, task) })
      } catch (error) {
        post({ kind: 'failed', id, failure: packFailure(error) })
      }
    }
    isRunning = false
    if (isClosing) await end()
  }

  async function end(): Promise<void> {
    await (await opening)?.close()
    parent.close()
  }

  parent.on('message', (message: ChainThreadTask) => {
    if (message.kind === 'open') opening = open(message.data, post, readFork)
    else if (message.kind === 'cancel') queued.delete(message.id)
    else if (message.kind === 'have') reads.get(message.id)?.(message.result)
    else if (message.kind === 'close') {
      isClosing = true
      queued.clear()
      if (!isRunning) void end()
    } else if (!isClosing) {
      queued.set(message.id, message.task)
      void drain()
    }
  })
}

async function run(engine: Engine, task: ChainTask): Promise<ChainResult> {
  switch (task.kind) {
    case 'send':
      return engine.send(task.raw)
    case 'nonce':
      return engine.pendingNonce(task.address)
    case 'pending':
      return engine.pendingTransaction(task.hash)
    case 'pool':
      return engine.poolContent(task.sender)
    case 'counts':
      return engine.poolCounts()
    case 'preview':
      return engine.pendingBlock()
    case 'mine':
      return engine.mine()
    case 'order':
      return engine.order(task.order)
    case 'import':
      return engine.importFile(task.path, task.signers)
  }
}

if (parentPort !== null) serve(parentPort)
