// Probes every upstream of a network soon after the start and then hourly; sooner after a failed probe.
// Tested by src/chain/upstream/node/probe.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { probeUpstream, type ProbeReport } from './probe.ts'
import type { Upstream } from './upstream.ts'

export type Prober = {
  /** Resolves when each upstream was probed once, or when the prober stops. Never rejects. */
  readonly started: Promise<void>
  /** The last report of each probed upstream. */
  reports(): readonly ProbeReport[]
  stop(): void
}

const proberLimits = {
  /** Delay after the start: the first requests of callers must not wait behind about 50 calls. */
  firstMs: 2_000,
  periodMs: 3_600_000,
  /** Delay after a failed probe. */
  againMs: 60_000,
} as const

export function createProber(parts: {
  readonly network: string
  readonly upstreams: readonly Upstream[]
  readonly clock: Clock
  readonly log: Log
}): Prober {
  const { network, upstreams, clock, log } = parts
  const reports = new Map<Upstream, ProbeReport>()
  const timers = new Map<Upstream, () => void>()
  const stopping = new AbortController()

  async function probe(upstream: Upstream): Promise<void> {
    let failed = true
    try {
      const report = await probeUpstream(upstream, { clock }, stopping.signal)
      reports.set(upstream, report)
      failed = report.failure !== null
      if (failed) log('warn', 'upstream_not_probed', { network, ...shown(report) })
      else log('info', 'upstream_probed', { network, ...shown(report) })
    } catch (error) {
      if (stopping.signal.aborted) return
      log('error', 'upstream_not_probed', { network, upstream: upstream.name, error })
    }
    if (stopping.signal.aborted) return
    const ms = failed ? proberLimits.againMs : proberLimits.periodMs
    timers.set(
      upstream,
      clock.after(ms, () => void probe(upstream)),
    )
  }

  const first = Promise.withResolvers<void>()
  const stopFirst = clock.after(proberLimits.firstMs, () => {
    void Promise.all(upstreams.map(probe)).then(() => first.resolve())
  })

  return {
    started: first.promise,
    reports: () => [...reports.values()],
    stop() {
      stopping.abort(new Error('stopping'))
      stopFirst()
      first.resolve()
      for (const stopTimer of timers.values()) stopTimer()
    },
  }
}

function shown({ upstream, failure, chainId, client, head, reach, lacks }: ProbeReport) {
  return { upstream, failure, chainId, client, head: head?.number, reach, lacks }
}
