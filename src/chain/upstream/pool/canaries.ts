// Proof requests that only test an upstream: one that leaves quarantine, and periodically one that is not the first choice, so that
// its statistics stay current. They are separate from the requests of clients. The answer is known: the account of the head block's
// fee recipient, under the head's proved state root.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import { toHex } from '../../../base/hex.ts'
import type { ProvedHeader } from '../../proved-memory.ts'
import type { CallAt } from '../source/block-parameter.ts'
import { checkProof } from '../source/check-proof.ts'
import { readProofReply } from '../source/proof-reply.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from './race-attempts.ts'

const method = 'eth_getProof'

/** `head`: the newest proved header, or null if there is none. */
export function createHeadCanary(head: () => ProvedHeader | null, callAt: CallAt): Canary {
  return async (upstream, signal) => {
    const block = head()
    if (block === null) return 'failed'
    const { stateRoot, miner: address, number } = block.header
    const request = { method, params: [toHex(address), []], block: { hash: block.hash, number } }
    const reply = await callAt(upstream, request, signal)
    const check = checkProof(readProofReply(reply.result, 0), { stateRoot, address, slots: [] })
    if (check === 'complete') return 'taken'
    if (check === 'short' || !reply.pinned) return 'failed'
    const { params, result: response } = reply
    return { invalidReply: { method, params, response, blockHash: block.hash, ...check } }
  }
}

/** Sends a request with a known answer and checks the reply. If it throws, no outcome is recorded. */
export type Canary = (upstream: Upstream, signal: AbortSignal) => Promise<AttemptOutcome>

const canaryLimits = {
  /** Content calls per canary to another upstream. */
  callsPerCanary: 100,
  /** Time between two canaries to all upstreams that still need some. */
  periodMs: 3_000,
} as const

export type Canaries = {
  /** That upstream answered a content call. */
  answered(by: Upstream): void
  stop(): void
}

/** Each upstream has at most one canary in flight. */
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
  let nextOther = 0

  async function send(upstream: Upstream): Promise<void> {
    if (underWay.has(upstream) || !upstream.mayCall('content')) return
    underWay.add(upstream)
    try {
      onVerdict(upstream, await canary(upstream, closing.signal))
    } catch (error) {
      // The circuit breaker already counted a failed call. Any other exception that a reply causes ends
      // here.
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
      const other = others[nextOther++ % Math.max(others.length, 1)]
      if (other !== undefined) void send(other)
    },
    stop() {
      stopTimer()
      closing.abort(new Error('closing'))
    },
  }
}
