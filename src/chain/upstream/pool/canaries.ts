// Proofs asked for only to see how an upstream does: of those who come out of quarantine, and now and then of those who
// are not the first, so that what is known of them stays fresh. Judged apart from what callers wait for.
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'

/** Asks for something whose truth is known, and judges it. Whatever it throws is no verdict. */
export type Canary = (upstream: Upstream, signal: AbortSignal) => Promise<AttemptOutcome>

const canaryLimits = {
  /** One content call in so many is followed by a canary to another upstream. */
  callsPerCanary: 100,
  /** Between two canaries of all upstreams that owe them. */
  periodMs: 3_000,
} as const

export type Canaries = {
  /** A content call was answered by that upstream. */
  answered(by: Upstream): void
  stop(): void
}

/** At most one canary is under way at a time for each upstream. */
export function createCanaries(parts: {
  readonly upstreams: readonly Upstream[]
  readonly canary: Canary
  readonly clock: Clock
  readonly log: Log
  readonly onVerdict: (upstream: Upstream, verdict: AttemptOutcome) => void
}): Canaries {
  const { upstreams, canary, clock, log, onVerdict } = parts
  const underWay = new Set<Upstream>()
  const closing = new AbortController()
  let calls = 0
  let turn = 0

  async function send(upstream: Upstream): Promise<void> {
    if (underWay.has(upstream) || !upstream.mayCall('content')) return
    underWay.add(upstream)
    try {
      onVerdict(upstream, await canary(upstream, closing.signal))
    } catch (error) {
      // A call that failed was heard of by its breaker. Whatever else a reply may provoke ends here.
      if (error instanceof UpstreamError || closing.signal.aborted) return
      log('warn', 'canary_failed', { upstream: upstream.name, error })
    } finally {
      underWay.delete(upstream)
    }
  }

  const stopTimer = clock.every(canaryLimits.periodMs, () => {
    for (const upstream of upstreams) if (upstream.isProving) void send(upstream)
  })

  return {
    answered(by) {
      calls++
      if (calls % canaryLimits.callsPerCanary !== 0) return
      const others = upstreams.filter((one) => one !== by)
      const other = others[turn++ % Math.max(others.length, 1)]
      if (other !== undefined) void send(other)
    },
    stop() {
      stopTimer()
      closing.abort(new Error('closing'))
    },
  }
}
