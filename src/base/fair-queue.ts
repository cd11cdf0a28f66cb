// Fair queue for expensive work of unauthenticated callers: a fixed number runs in parallel, the rest waits in one queue
// per caller, served round-robin. Known callers have priority over unknown ones.
// Tested by src/base/fair-queue.test.ts

/** `caller`: names the queue of one caller. */
export type QueuedCaller = { readonly caller: string; readonly hasPriority: boolean }

export type FairQueue = {
  /** Runs `work` when it is its turn. Null immediately if the caller's queue, or the queue of all known or unknown callers, is full. */
  run<T>(caller: QueuedCaller, work: () => Promise<T>): Promise<T> | null
}

/** `queuedPerCallerMax` and `queuedMax` limit the waiting work; `queuedMax` applies to known and unknown callers separately. */
export function createFairQueue(limits: {
  readonly concurrency: number
  readonly queuedPerCallerMax: number
  readonly queuedMax: number
}): FairQueue {
  const { concurrency, queuedPerCallerMax, queuedMax } = limits
  const queues = { known: createCallerQueue(), unknown: createCallerQueue() }
  let running = 0

  function release(): void {
    const next = queues.known.shift() ?? queues.unknown.shift()
    if (next === null) running--
    else next()
  }

  async function runAfter<T>(admitted: Promise<void>, work: () => Promise<T>): Promise<T> {
    await admitted
    try {
      return await work()
    } finally {
      release()
    }
  }

  return {
    run({ caller, hasPriority }, work) {
      if (running < concurrency) {
        running++
        return runAfter(Promise.resolve(), work)
      }
      const queue = hasPriority ? queues.known : queues.unknown
      if (queue.queued >= queuedMax || queue.queuedOf(caller) >= queuedPerCallerMax) return null
      return runAfter(new Promise((admit) => queue.push(caller, admit)), work)
    },
  }
}

type Admit = () => void

/** Callers in round-robin order. */
function createCallerQueue() {
  const callers = new Map<string, Admit[]>()
  let queued = 0
  return {
    get queued() {
      return queued
    },
    queuedOf: (caller: string) => callers.get(caller)?.length ?? 0,
    push(caller: string, admit: Admit): void {
      queued++
      const entries = callers.get(caller)
      if (entries === undefined) callers.set(caller, [admit])
      else entries.push(admit)
    },
    /** Removes the first entry of the next caller, and moves that caller to the end. */
    shift(): Admit | null {
      for (const [caller, [admit, ...rest]] of callers) {
        callers.delete(caller)
        if (rest.length > 0) callers.set(caller, rest)
        if (admit === undefined) continue
        queued--
        return admit
      }
      return null
    },
  }
}
