// Probes every upstream of a network at the start and then hourly; one that did not answer sooner.
// Tested by src/ethereum/upstream/probe.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { probeUpstream, type ProbeReport } from './probe.ts'
import type { Upstream } from './upstream.ts'

export type Prober = {
  /** Resolves when each was probed once. Never rejects. */
  readonly started: Promise<void>
  /** The last report on each that was probed. */
  reports(): readonly ProbeReport[]
  stop(): void
}

export const proberLimits = {
  periodMs: 3_600_000,
  /** After a probe that failed. */
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

  const started = (async () => {
    await Promise.all(upstreams.map(probe))
  })()

  return {
    started,
    reports: () => [...reports.values()],
    stop() {
      stopping.abort(new Error('stopping'))
      for (const stopTimer of timers.values()) stopTimer()
    },
  }
}

function shown({ upstream, failure, chainId, client, head, reach, lacks }: ProbeReport) {
  return { upstream, failure, chainId, client, head: head?.number, reach, lacks }
}
