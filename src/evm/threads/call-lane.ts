// One call thread and its queue. The thread starts at the first call; a thread that hangs or dies is replaced.
// Tested by src/devchain/call-thread.test.ts
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import type { CallOwner } from '../../chain/computation.ts'
import type { CallThreadMessage, CallThreadTask } from './call-thread-tasks.ts'
import { CallQueue, type QueueLimits } from './call-queue.ts'
import { unpackFailure } from './packed-failure.ts'
import { type TimeSliceLimits, tooLong } from '../time-slice.ts'

export type CallEntry<Task> = CallOwner & {
  readonly id: number
  readonly task: Task
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type CallLaneOptions<Task> = {
  /** Module of the thread and its `workerData`. */
  readonly worker: { readonly url: URL; readonly data: unknown }
  /** For the log. */
  readonly network: string | null
  readonly limits: TimeSliceLimits
  /** Default: those of call-queue.ts. */
  readonly queueLimits?: QueueLimits
  readonly clock: Clock
  readonly log: Log
  /** The thread returned the call: it takes too long for this lane. */
  readonly onLong: (entry: CallEntry<Task>) => void
  /** The thread was replaced because a call of this account hung. */
  readonly onReplaced: (accountId: string) => void
  /** The call waits for `request`; `reply` sends the result to the thread. Absent: calls need no external values. */
  readonly onRequest?: (
    entry: CallEntry<Task>,
    request: unknown,
    reply: (result: unknown) => void,
  ) => void
}

export type CallLane<Task> = {
  /** Throws `overloaded`. */
  add(entry: CallEntry<Task>): void
  /** Removes a call, waiting or running, if it is in this lane. */
  cancel(entry: CallEntry<Task>): void
  close(): Promise<void>
}

/** Limit of the thread's JavaScript heap. If it is exceeded, the thread dies, not the process. */
const heapMegabytesMax = 1024
/** Interval at which the thread is checked for a hang. */
const watchMs = 250
/** If other calls wait, a task counts as hung when its slice has used this many times the CPU time of the longest step. */
const hangFactor = 2
/** A thread that does not report its CPU time is assumed to have used at least 1/8 of the elapsed time. */
const silentFactor = 8

type RunningSlice = { readonly id: number; readonly since: number }
/** `cpuMs`: CPU time of the thread when the slice was first checked. */
type Suspect = { readonly slice: RunningSlice; readonly cpuMs: number }

export function createCallLane<Task>(options: CallLaneOptions<Task>): CallLane<Task> {
  const { network, limits, clock, log } = options
  const queue = new CallQueue<CallEntry<Task>>(options.queueLimits)
  let worker: Worker | null = null
  let stopWatch: (() => void) | null = null
  let slice = null as RunningSlice | null
  let suspect = null as Suspect | null
  let isChecking = false
  let closed = false

  function start(): Worker {
    const started = new Worker(options.worker.url, {
      workerData: options.worker.data,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
      execArgv: [],
    })
    let cause: unknown = new Error('the call thread ended')
    started.on('message', (message: CallThreadMessage) => {
      if (worker === started) receive(message)
    })
    started.on('error', (error) => (cause = error))
    started.on('exit', () => {
      if (worker === started) handleExit(cause)
    })
    stopWatch = clock.every(watchMs, () => void watch())
    return started
  }

  function handleExit(cause: unknown): void {
    clearWorker()
    if (!closed) log('error', 'chain.call_thread_died', { network, cause })
    const fault = closed ? new Fault('shutting_down') : new Fault('internal', { cause })
    const activeEntries = Array.from(queue.active.values())
    for (const entry of activeEntries) end(entry).reject(fault)
  }

  function clearWorker(): void {
    worker = null
    slice = null
    stopWatch?.()
    stopWatch = null
  }

  /** Replaces a thread that hangs. Tasks stop often and their steps have estimated costs, but an estimate may be too low. */
  async function watch(): Promise<void> {
    const watched = worker
    if (slice === null || watched === null || isChecking) return
    const [checked, waitedMs] = [slice, clock.monotonic() - slice.since]
    if (waitedMs < watchMs) return
    isChecking = true
    // Use CPU time, because on a busy machine a slice can last long and do little. Null: the thread does not report it.
    const cpuMs = await Promise.race([cpuMsOf(watched), timeout(watchMs)])
    isChecking = false
    if (slice !== checked || worker !== watched) return
    const shortMs = Math.min(hangFactor * limits.stepMs, limits.runMs)
    const allowedMs = queue.size > 1 ? shortMs : limits.runMs
    if (cpuMs !== null && suspect?.slice !== checked) suspect = { slice: checked, cpuMs }
    const usedMs = cpuMs === null ? waitedMs / silentFactor : cpuMs - (suspect?.cpuMs ?? cpuMs)
    if (usedMs > allowedMs) replace(watched, checked)
  }

  /** Resolves with null after `ms`. */
  function timeout(ms: number): Promise<null> {
    return new Promise((resolve) => clock.after(ms, () => resolve(null)))
  }

  function replace(hanging: Worker, { id }: RunningSlice): void {
    const hungEntry = queue.active.get(id)
    clearWorker()
    void hanging.terminate()
    log('warn', 'chain.call_thread_replaced', { network, accountId: hungEntry?.accountId ?? null })
    // Calls that only waited for their slice have no side effects: requeue them before the queue advances.
    for (const { id: other, task } of queue.active.values()) {
      if (other !== id) send({ kind: 'run', id: other, task })
    }
    if (hungEntry === undefined) return
    options.onReplaced(hungEntry.accountId)
    end(hungEntry).reject(tooLong(limits))
  }

  function receive(message: CallThreadMessage): void {
    if (message.kind === 'slice') {
      slice = { id: message.id, since: clock.monotonic() }
      return
    }
    if (slice?.id === message.id) slice = null
    const entry = queue.active.get(message.id)
    if (entry === undefined) return
    if (message.kind === 'request') {
      const reply = (result: unknown): void => {
        if (queue.active.get(message.id) === entry) send({ kind: 'reply', id: message.id, result })
      }
      options.onRequest?.(entry, message.request, reply)
      return
    }
    end(entry)
    if (message.kind === 'done') entry.resolve(message.result)
    else if (message.kind === 'long') options.onLong(entry)
    else entry.reject(unpackFailure(message.failure))
  }

  function end(entry: CallEntry<Task>): CallEntry<Task> {
    queue.remove(entry)
    beginNext()
    if (queue.size === 0) worker?.unref()
    return entry
  }

  function beginNext(): void {
    if (closed) return
    for (let entry = queue.begin(); entry !== null; entry = queue.begin()) {
      send({ kind: 'run', id: entry.id, task: entry.task })
    }
  }

  function send(message: CallThreadTask<Task>): void {
    worker ??= start()
    worker.ref()
    worker.postMessage(message)
  }

  return {
    add(entry) {
      if (closed) throw new Fault('shutting_down')
      queue.add(entry)?.reject(new Fault('overloaded'))
      beginNext()
    },
    cancel(entry) {
      if (queue.active.has(entry.id)) send({ kind: 'cancel', id: entry.id })
      end(entry)
    },
    async close() {
      if (closed) return
      closed = true
      const ending = worker
      for (const entry of queue.clear()) entry.reject(new Fault('shutting_down'))
      if (ending === null) return
      const ended = new Promise<void>((resolve) => ending.once('exit', () => resolve()))
      ending.ref()
      ending.postMessage({ kind: 'close' } satisfies CallThreadTask<Task>)
      await ended
    },
  }
}

/**
 * The module `name` next to `importer` (an `import.meta.url`). The build does not rewrite such names: the built program runs .js,
 * a checkout .ts.
 */
export function siblingModule(importer: string, name: string): URL {
  return new URL(`./${name}${importer.endsWith('.ts') ? '.ts' : '.js'}`, importer)
}

/** CPU time of a thread so far, also in the middle of a step. Null: it has ended or does not answer. */
async function cpuMsOf(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return null
  }
}
