// Calls, estimates and traces of an embedded chain, worked out in a thread of their own, which starts at the
// first of them. Keys take turns, a call has its time, and a thread that hangs or dies is replaced.
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { AskedCall, Executor } from '../executor.ts'
import type { CallNews, CallOrder, CallThreadData } from './call-order.ts'
import { CallQueue } from './call-queue.ts'
import type { Genesis } from './genesis.ts'
import { reasonOf, unpackFailure } from './packed-failure.ts'
import type { Calculation, CalculationResult, CalculationResults } from './vm/calls.ts'
import { defaultTurnLimits, tooLong } from './vm/turn.ts'
import type { TurnLimits } from './vm/turn.ts'

/** The part of an Executor that changes nothing. */
export type CallExecutor = Pick<
  Executor,
  'call' | 'estimateGas' | 'createAccessList' | 'simulate' | 'traceCall' | 'traceBlock'
>

export type CallThreadOptions = {
  readonly network: string
  readonly genesis: Genesis
  readonly databasePath: string
  readonly callGasMax: bigint
  readonly clock: Clock
  readonly log: Log
  /** Default: those of turn.ts. */
  readonly limits?: TurnLimits
}

export type CallThread = {
  readonly executor: CallExecutor
  close(): Promise<void>
}

/** Of the thread's JavaScript heap; beyond it the thread dies, and not the process. */
const heapMegabytesMax = 1024
/** A thread that has not stopped twice in a row for so long beyond a call's own time is replaced. */
const hangMs = 1_000

type Entry = {
  readonly id: number
  readonly keyId: string
  readonly task: Calculation
  readonly resolve: (result: CalculationResult) => void
  readonly reject: (error: unknown) => void
}

type TurnTaken = { readonly id: number; readonly since: number }

export function createCallThread(options: CallThreadOptions): CallThread {
  const { network, clock, log, limits = defaultTurnLimits } = options
  const queue = new CallQueue<Entry>()
  let worker: Worker | null = null
  let stopWatch: (() => void) | null = null
  let turn = null as TurnTaken | null
  let suspected: TurnTaken | null = null
  let nextId = 1
  let closed = false

  function start(): Worker {
    const { genesis, databasePath, callGasMax } = options
    // tsc does not rewrite this name: the built program runs .js, a checkout runs .ts.
    const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
    const started = new Worker(new URL(`./call-worker${extension}`, import.meta.url), {
      workerData: {
        network,
        genesis,
        databasePath,
        callGasMax,
        limits,
      } satisfies CallThreadData,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
      execArgv: [],
    })
    let cause: unknown = new Error('the call thread ended')
    started.on('message', (news: CallNews) => {
      if (worker === started) hear(news)
    })
    started.on('error', (error) => (cause = error))
    started.on('exit', () => {
      if (worker === started) died(cause)
    })
    stopWatch = clock.every(hangMs, watch)
    return started
  }

  function died(cause: unknown): void {
    forgetWorker()
    if (!closed) log('error', 'chain.call_thread_died', { network, cause })
    const fault = closed ? new Fault('shutting_down') : new Fault('internal', { cause })
    const lost = Array.from(queue.begun.values())
    for (const entry of lost) end(entry).reject(fault)
  }

  function forgetWorker(): void {
    worker = null
    turn = null
    stopWatch?.()
    stopWatch = null
  }

  /** The EVM stops often, but one precompiled contract may take all the gas there is in one step. */
  function watch(): void {
    const late = turn !== null && clock.monotonic() - turn.since > limits.runMs
    const hangs = late && turn === suspected
    suspected = late ? turn : null
    if (!hangs || turn === null || worker === null) return
    const guilty = queue.begun.get(turn.id)
    const hanging = worker
    forgetWorker()
    void hanging.terminate()
    log('warn', 'chain.call_thread_replaced', { network })
    if (guilty !== undefined) end(guilty).reject(tooLong(limits))
    // What only waited for its turn has changed nothing, and begins anew.
    for (const { id, task } of queue.begun.values()) order({ kind: 'run', id, task })
    beginNext()
  }

  function hear(news: CallNews): void {
    if (news.kind === 'turn') {
      turn = { id: news.id, since: clock.monotonic() }
      return
    }
    if (turn?.id === news.id) turn = null
    const entry = queue.begun.get(news.id)
    if (entry === undefined) return
    end(entry)
    if (news.kind === 'done') entry.resolve(news.result)
    else entry.reject(unpackFailure(news.failure))
  }

  function end(entry: Entry): Entry {
    queue.remove(entry)
    beginNext()
    if (queue.size === 0) worker?.unref()
    return entry
  }

  function beginNext(): void {
    if (closed) return
    for (let entry = queue.begin(); entry !== null; entry = queue.begin()) {
      order({ kind: 'run', id: entry.id, task: entry.task })
    }
  }

  function order(message: CallOrder): void {
    worker ??= start()
    worker.ref()
    worker.postMessage(message)
  }

  async function run<Task extends Calculation>(
    task: Task,
    keyId: string,
    signal: AbortSignal,
  ): Promise<CalculationResults[Task['kind']]> {
    if (closed) throw new Fault('shutting_down')
    if (signal.aborted) throw reasonOf(signal)
    const id = nextId++
    let leave = () => {}
    try {
      return await new Promise<CalculationResults[Task['kind']]>((resolve, reject) => {
        // The thread answers each task with the result of its kind (vm/calls.ts).
        const entry = { id, keyId, task, resolve: resolve as Entry['resolve'], reject }
        queue.add(entry)
        leave = () => {
          if (queue.begun.has(id)) order({ kind: 'cancel', id })
          end(entry).reject(reasonOf(signal))
        }
        signal.addEventListener('abort', leave, { once: true })
        beginNext()
      })
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return {
    executor: {
      call: (asked, keyId, signal) => run({ kind: 'call', ...taskOf(asked) }, keyId, signal),
      estimateGas: (asked, keyId, signal) =>
        run({ kind: 'estimate', ...taskOf(asked) }, keyId, signal),
      createAccessList: (asked, keyId, signal) =>
        run({ kind: 'access-list', ...taskOf(asked) }, keyId, signal),
      simulate: ({ block, simulation }, keyId, signal) =>
        run({ kind: 'simulate', blockHash: block.hash, simulation }, keyId, signal),
      traceCall: (asked, keyId, signal) =>
        run({ kind: 'trace-call', tracer: asked.tracer, ...taskOf(asked) }, keyId, signal),
      traceBlock: ({ block, index, tracer }, keyId, signal) =>
        run({ kind: 'trace-block', blockHash: block.hash, index, tracer }, keyId, signal),
    },
    async close() {
      if (closed) return
      closed = true
      const ending = worker
      for (const entry of queue.clear()) entry.reject(new Fault('shutting_down'))
      if (ending === null) return
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      ending.ref()
      ending.postMessage({ kind: 'close' } satisfies CallOrder)
      await ended
    },
  }
}

function taskOf({ request, block, overrides }: AskedCall) {
  return { request, blockHash: block.hash, overrides }
}
