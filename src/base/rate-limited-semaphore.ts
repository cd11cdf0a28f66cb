// Limits concurrent calls and calls per second to an upstream. Other callers wait in a bounded queue. Calls that run client code
// (calls, traces) may be slow, so they never take the last slots: provable requests and requests for the head overtake them.
import type { Clock } from './clock.ts'

export type SemaphoreLimits = {
  /** Concurrent calls. */
  readonly concurrency: number
  /** Long-term calls per second; null: no limit. */
  readonly perSecond: number | null
  /** Maximum number of queued calls of each class. */
  readonly queuedMax: number
}

/** `content` has priority over `other`, and a quarter of the slots is reserved for it. */
export type SemaphoreClass = 'content' | 'other'

export type RateLimitedSemaphore = {
  /** Takes a slot now; returns false if none is free. */
  tryAcquire(callClass: SemaphoreClass): boolean
  /** Waits for a slot. Null immediately if the queue is full. Rejects with `signal.reason`. */
  acquire(callClass: SemaphoreClass, signal: AbortSignal): Promise<void> | null
  /** Releases the slot. */
  release(callClass: SemaphoreClass): void
  readonly active: number
  readonly queued: number
}

type Waiter = { readonly admit: () => void }

/** Bursts are limited to one second's calls, even after idle time. */
export function createRateLimitedSemaphore(
  limits: SemaphoreLimits,
  clock: Clock,
): RateLimitedSemaphore {
  const queues: Readonly<Record<SemaphoreClass, Set<Waiter>>> = {
    content: new Set(),
    other: new Set(),
  }
  const activeCalls = { content: 0, other: 0 }
  const otherMax = limits.concurrency - Math.floor(limits.concurrency / 4)
  const intervalMs = limits.perSecond === null ? 0 : 1000 / limits.perSecond
  const burstMs = Math.max(1000 - intervalMs, 0)
  /** GCRA's theoretical arrival time: when the calls so far fit into the rate. */
  let arrivalAt = 0
  let stopTimer: (() => void) | null = null

  function waitMs(): number {
    return Math.max(0, arrivalAt - burstMs - clock.monotonic())
  }

  function hasFreeSlot(callClass: SemaphoreClass): boolean {
    if (activeCalls.content + activeCalls.other >= limits.concurrency) return false
    return callClass === 'content' || activeCalls.other < otherMax
  }

  function occupy(callClass: SemaphoreClass): void {
    activeCalls[callClass]++
    arrivalAt = Math.max(arrivalAt, clock.monotonic()) + intervalMs
  }

  function admitNext(): void {
    for (const callClass of ['content', 'other'] as const) {
      for (const waiter of queues[callClass]) {
        if (!hasFreeSlot(callClass)) break
        const ms = waitMs()
        if (ms > 0) {
          startTimer(ms)
          return
        }
        queues[callClass].delete(waiter)
        occupy(callClass)
        waiter.admit()
      }
    }
  }

  function startTimer(ms: number): void {
    stopTimer ??= clock.after(Math.ceil(ms), () => {
      stopTimer = null
      admitNext()
    })
  }

  return {
    get active() {
      return activeCalls.content + activeCalls.other
    },
    get queued() {
      return queues.content.size + queues.other.size
    },
    tryAcquire(callClass) {
      const isNext =
        queues.content.size === 0 && (callClass === 'content' || queues.other.size === 0)
      if (!isNext || !hasFreeSlot(callClass) || waitMs() > 0) return false
      occupy(callClass)
      return true
    },
    acquire(callClass, signal) {
      if (queues[callClass].size >= limits.queuedMax) return null
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      if (signal.aborted) {
        reject(signal.reason as Error)
        return promise
      }
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', abort)
          resolve()
        },
      }
      const abort = (): void => {
        queues[callClass].delete(waiter)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      queues[callClass].add(waiter)
      admitNext()
      return promise
    },
    release(callClass) {
      activeCalls[callClass]--
      admitNext()
    },
  }
}
