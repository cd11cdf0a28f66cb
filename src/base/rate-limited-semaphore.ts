// Limits concurrent calls and calls per second to an upstream. Other callers wait in a bounded queue. Calls that run client code
// (calls, traces) may be slow, so they never take the last slots: provable requests and requests for the head overtake them.
import type { Clock } from './clock.ts'

export type SemaphoreLimits = {
  /** Concurrent calls. */
  readonly concurrency: number
  /** Long-term calls per second; null: no limit. */
  readonly perSecond: number | null
  /** Maximum waiting calls in each line. */
  readonly waitingMax: number
}

/** `content` has priority over `other`, and a quarter of the slots is reserved for it. */
export type SemaphoreClass = 'content' | 'other'

export type RateLimitedSemaphore = {
  /** Takes a slot now; returns false if none is free. */
  tryEnter(line: SemaphoreClass): boolean
  /** Waits for a slot. Null immediately if the queue is full. Rejects with `signal.reason`. */
  enter(line: SemaphoreClass, signal: AbortSignal): Promise<void> | null
  /** Releases the slot. */
  leave(line: SemaphoreClass): void
  readonly entered: number
  readonly waiting: number
}

type Waiter = { readonly admit: () => void }

/** Bursts are limited to one second's calls, even after idle time. */
export function createRateLimitedSemaphore(
  limits: SemaphoreLimits,
  clock: Clock,
): RateLimitedSemaphore {
  const lines: Readonly<Record<SemaphoreClass, Set<Waiter>>> = {
    content: new Set(),
    other: new Set(),
  }
  const inside = { content: 0, other: 0 }
  const otherMax = limits.concurrency - Math.floor(limits.concurrency / 4)
  const intervalMs = limits.perSecond === null ? 0 : 1000 / limits.perSecond
  const burstMs = Math.max(1000 - intervalMs, 0)
  /** GCRA's theoretical arrival time: when the calls so far fit into the rate. */
  let paidAt = 0
  let stopTimer: (() => void) | null = null

  function waitMs(): number {
    return Math.max(0, paidAt - burstMs - clock.monotonic())
  }

  function hasPlace(line: SemaphoreClass): boolean {
    if (inside.content + inside.other >= limits.concurrency) return false
    return line === 'content' || inside.other < otherMax
  }

  function take(line: SemaphoreClass): void {
    inside[line]++
    paidAt = Math.max(paidAt, clock.monotonic()) + intervalMs
  }

  function admitNext(): void {
    for (const line of ['content', 'other'] as const) {
      for (const waiter of lines[line]) {
        if (!hasPlace(line)) break
        const ms = waitMs()
        if (ms > 0) {
          startTimer(ms)
          return
        }
        lines[line].delete(waiter)
        take(line)
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
    get entered() {
      return inside.content + inside.other
    },
    get waiting() {
      return lines.content.size + lines.other.size
    },
    tryEnter(line) {
      const isNext = lines.content.size === 0 && (line === 'content' || lines.other.size === 0)
      if (!isNext || !hasPlace(line) || waitMs() > 0) return false
      take(line)
      return true
    },
    enter(line, signal) {
      if (lines[line].size >= limits.waitingMax) return null
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      if (signal.aborted) {
        reject(signal.reason as Error)
        return promise
      }
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', leaveLine)
          resolve()
        },
      }
      const leaveLine = (): void => {
        lines[line].delete(waiter)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leaveLine, { once: true })
      lines[line].add(waiter)
      admitNext()
      return promise
    },
    leave(line) {
      inside[line]--
      admitNext()
    },
  }
}
