// Sends each probe to both endpoints and compares the replies: one probe at a time, with limits on rate and time.
// Tested by test/cli/doctor-dropin.test.ts
import { type Clock, pause } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { readRetryAfter } from '../../base/http-origin.ts'
import { compareReplies, type Verdict } from './compare.ts'
import type { Answered, Endpoint, ProbeRequest } from './endpoint.ts'
import { explain, type Explanation } from './known-differences.ts'
import { type Group, type Probe, rpcProbes } from './probes.ts'
import { findReference, type Reference } from './reference.ts'

export type ProbeResult = {
  readonly probe: string
  readonly group: Group
  /** `none`: nothing was compared, for the reason in `differences`. */
  readonly verdict: Verdict | 'none'
  readonly differences: readonly string[]
  /** Null: no difference, or no rule of Cairn explains it. */
  readonly explanation: Explanation | null
}

/** Requests to each endpoint stay below 10 per second. */
const betweenMs = 100
/** Maximum pause before the single retry after status 429. */
const retryMsMax = 10_000
const probeMs = 30_000
const overallMs = 300_000
const differencesMax = 4

/**
 * Probes without a reply in time are not compared. Throws an Error with a message for the user if an endpoint never responds or if
 * they serve different chains, and the reason of `signal`.
 */
export async function runProbes(parts: {
  readonly theirs: Endpoint
  readonly ours: Endpoint
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called after each probe. */
  readonly onProbe: (done: number, all: number) => void
}): Promise<{ readonly at: Reference; readonly results: readonly ProbeResult[] }> {
  const { theirs, ours, clock, onProbe, signal: stopped } = parts
  using overall = withDeadline(stopped, overallMs, clock)
  const at = await findReference(theirs, ours, overall.signal)
  const results: ProbeResult[] = []
  for (const probe of rpcProbes) {
    results.push(await runInTime(probe))
    onProbe(results.length, rpcProbes.length)
  }
  return { at, results }

  async function runInTime(probe: Probe): Promise<ProbeResult> {
    using own = withDeadline(overall.signal, probeMs, clock)
    try {
      await pause(betweenMs, own.signal)
      return await runProbe(probe, own.signal)
    } catch (thrown) {
      if (stopped.aborted || !own.signal.aborted) throw thrown
      const limit = overall.signal.aborted
        ? `all probes took ${overallMs} ms`
        : `over ${probeMs} ms`
      return none(probe, `no reply in time: ${limit}`)
    }
  }

  async function runProbe(probe: Probe, signal: AbortSignal): Promise<ProbeResult> {
    const { name, group, compare } = probe
    const request = probe.request(at)
    if (request === null) return none(probe, 'the last blocks contain no transaction')
    const [their, own] = await Promise.all([
      send(theirs, request, signal),
      send(ours, request, signal),
    ])
    if ('silent' in their) return none(probe, `theirs: ${their.silent}`)
    if ('silent' in own) return none(probe, `ours: ${own.silent}`)
    const limited = their.status === 429 ? 'theirs' : own.status === 429 ? 'ours' : null
    if (limited !== null) {
      return none(probe, `${limited}: over its rate limit (status 429), also after a pause`)
    }
    const { verdict, differences } = compareReplies(compare, their, own)
    const isExplained = verdict === 'different' || verdict === 'more'
    const explanation = isExplained ? explain(name, differences) : null
    return { probe: name, group, verdict, differences: listed(differences), explanation }
  }

  async function send(
    endpoint: Endpoint,
    request: ProbeRequest,
    signal: AbortSignal,
  ): Promise<Answered> {
    const answer = await endpoint.send(request, signal)
    if ('silent' in answer || answer.status !== 429) return answer
    const retryMs = readRetryAfter(answer.headers['retry-after'], clock.now()) ?? 1000
    await pause(Math.min(retryMs, retryMsMax), signal)
    return await endpoint.send(request, signal)
  }
}

function none({ name, group }: Probe, reason: string): ProbeResult {
  return { probe: name, group, verdict: 'none', differences: [reason], explanation: null }
}

function listed(all: readonly string[]): readonly string[] {
  const more = all.length - differencesMax
  return more <= 0 ? all : [...all.slice(0, differencesMax), `${more} more`]
}
