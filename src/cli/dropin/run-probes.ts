// Sends each probe to both endpoints and compares the replies: one probe at a time, bounded in rate and time.
// Tested by test/cli/doctor-dropin.test.ts
import { type Clock, pause } from '../../base/clock.ts'
import { withDeadline } from '../../base/deadline.ts'
import { compareReplies, type Verdict } from './compare.ts'
import type { Answered, Endpoint, ProbeRequest } from './endpoint.ts'
import { explain, type Explanation } from './known-differences.ts'
import { type Group, type Probe, rpcProbes } from './probes.ts'
import { findReference, type Reference } from './reference.ts'

export type ProbeResult = {
  readonly probe: string
  readonly group: Group
  /** `none`: there is nothing to compare; `differences` says why. */
  readonly verdict: Verdict | 'none'
  readonly differences: readonly string[]
  /** Null: nothing differs, or no rule of Cairn explains it. */
  readonly explanation: Explanation | null
}

/** Requests to each endpoint stay below 10 per second. */
const betweenMs = 100
/** Of a reply with status 429: the longest pause before the one repetition. */
const retryMsMax = 10_000
const wholeMs = 300_000

/** Throws a sentence if an endpoint does not answer, both serve different chains, or the time is up. */
export async function runProbes(parts: {
  readonly theirs: Endpoint
  readonly ours: Endpoint
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called after each probe. */
  readonly onProbe: (done: number, all: number) => void
}): Promise<{ readonly at: Reference; readonly results: readonly ProbeResult[] }> {
  const { theirs, ours, clock, onProbe } = parts
  using deadline = withDeadline(parts.signal, wholeMs, clock)
  const { signal } = deadline
  const at = await findReference(theirs, ours, signal)
  const results: ProbeResult[] = []
  for (const probe of rpcProbes) {
    await pause(betweenMs)
    results.push(await runProbe(probe))
    onProbe(results.length, rpcProbes.length)
  }
  return { at, results }

  async function runProbe({ name, group, compare, request }: Probe): Promise<ProbeResult> {
    const made = request(at)
    const none = (reason: string): ProbeResult => ({
      probe: name,
      group,
      verdict: 'none',
      differences: [reason],
      explanation: null,
    })
    if (made === null) return none('the last blocks contain no transaction')
    const [their, own] = await Promise.all([send(theirs, made), send(ours, made)])
    if ('silent' in their) return none(`theirs: ${their.silent}`)
    if ('silent' in own) return none(`ours: ${own.silent}`)
    for (const [owner, { status }] of [
      ['theirs', their],
      ['ours', own],
    ] as const) {
      if (status === 429)
        return none(`${owner}: over its rate limit (status 429), also after a pause`)
    }
    const { verdict, differences } = compareReplies(compare, their, own)
    const isExplained = verdict === 'different' || verdict === 'more'
    return {
      probe: name,
      group,
      verdict,
      differences,
      explanation: isExplained ? explain(name) : null,
    }
  }

  async function send(endpoint: Endpoint, request: ProbeRequest): Promise<Answered> {
    const answer = await endpoint.send(request, signal)
    if ('silent' in answer || answer.status !== 429) return answer
    const seconds = Number(answer.headers['retry-after'] ?? 1)
    await pause(Math.min(Number.isFinite(seconds) ? seconds * 1000 : 1000, retryMsMax))
    return await endpoint.send(request, signal)
  }
}
