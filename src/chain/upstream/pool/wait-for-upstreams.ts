// If every upstream rests briefly (a rate limit, a node restart), callers wait before they get `no_upstream`. Limited in time and
// in number of callers.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Choose, UpstreamChoice } from './choose-upstreams.ts'
import type { Upstream } from '../node/upstream.ts'

/** The upstreams to query, or an empty list if none came back in time. Throws `signal.reason`. */
export type WaitForUpstreams = (
  choice: UpstreamChoice,
  signal: AbortSignal,
) => Promise<readonly Upstream[]>

const waitLimits = {
  /** Slightly longer than the rest after a rate limit. */
  waitMs: 1_500,
  lookMs: 50,
  callersMax: 256,
} as const

export function createWaitForUpstreams(parts: {
  readonly upstreams: readonly Upstream[]
  readonly choose: Choose
  readonly clock: Clock
}): WaitForUpstreams {
  const { upstreams, choose, clock } = parts
  let callers = 0

  return async (choice, signal) => {
    if (callers >= waitLimits.callersMax) return []
    callers++
    try {
      const until = clock.monotonic() + waitLimits.waitMs
      while (clock.monotonic() < until && upstreams.some((one) => one.rests(choice.methodClass))) {
        await pause(waitLimits.lookMs, clock, signal)
        const line = choose(choice)
        if (line.length > 0) return line
      }
      return []
    } finally {
      callers--
    }
  }
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stopTimer = clock.after(ms, resolve)
  const leave = (): void => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    await promise
  } finally {
    stopTimer()
    signal.removeEventListener('abort', leave)
  }
}
