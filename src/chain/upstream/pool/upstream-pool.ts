// The upstreams of a network as one: selects upstreams, queries the next one on failure, hedges content, shares known reads, and
// handles invalid replies. It proves nothing itself: attempts check their replies. If all upstreams fail a check, none is
// quarantined, because the chain may use other rules than the network's policy assumes.
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { DataKind } from '../node/history-depth.ts'
import { Fault } from '../../../base/fault.ts'
import { createSingleFlight } from '../../../base/single-flight.ts'
import { type Agreement, type Question, agreeOn, shareKey } from './agree.ts'
import { type SignedTransaction, broadcast } from './broadcast.ts'
import { type Canary, createCanaries } from './canaries.ts'
import { type UpstreamChoice, createChoose } from './choose-upstreams.ts'
import {
  type AttemptOutcome,
  type AttemptResult,
  type UpstreamAttempt,
  createHedgeBudget,
  invalidRepliesOf,
  lastFailure,
  raceAttempts,
} from './race-attempts.ts'
import type { InvalidReplyLog } from './invalid-reply-log.ts'
import { isShared } from '../node/method-policy.ts'
import { type ReadAnswer, type ReadRequest, readElsewhere } from './read-from-another.ts'
import { isTooDeep } from '../node/upstream-error.ts'
import type { Upstream, UpstreamStatus } from '../node/upstream.ts'
import { createWaitForUpstreams } from './wait-for-upstreams.ts'

export type VerificationAlarm = {
  readonly need: DataKind
  /** When it was first raised, milliseconds since 1970 UTC. */
  readonly since: number
}

type VerificationAlarms = {
  raise(need: DataKind): void
  /** One upstream has passed the check. */
  clear(need: DataKind): void
  list(): readonly VerificationAlarm[]
}

/** Logs each alarm when it begins and when it ends. */
function createVerificationAlarms(parts: {
  readonly network: string
  readonly clock: Clock
  readonly log: Log
}): VerificationAlarms {
  const { network, clock, log } = parts
  const raised = new Map<DataKind, number>()
  return {
    raise(need) {
      if (raised.has(need)) return
      raised.set(need, clock.now())
      log('error', 'network_not_provable', {
        network,
        need,
        fix: 'all upstreams fail: check the policy',
      })
    },
    clear(need) {
      if (raised.delete(need)) log('info', 'network_provable_again', { network, need })
    },
    list: () => [...raised].map(([need, since]) => ({ need, since })),
  }
}

type ContentQuery = {
  readonly need: DataKind
  /** Number of the block, or null if unknown. */
  readonly number: bigint | null
}

export type PoolStatus = {
  readonly upstreams: readonly UpstreamStatus[]
  /** Checks that every upstream failed: the chain's rules differ from the network's policy. */
  readonly alarms: readonly VerificationAlarm[]
}

export type UpstreamPool = {
  readonly upstreams: readonly Upstream[]
  /**
   * Runs `attempt` on one upstream after the other until one is `taken`. If one takes longer than usual, the next runs
   * in parallel. If only transport errors occurred, the round is repeated. Returns the last outcome; `absent` only if
   * two upstreams or a trusted one report it. Throws Fault `no_upstream` if no upstream can be queried,
   * `signal.reason`, or an exception of an attempt that is not an UpstreamError.
   */
  content(
    query: ContentQuery,
    attempt: UpstreamAttempt,
    signal: AbortSignal,
  ): Promise<AttemptOutcome>
  /**
   * One answer that cannot be proved, from the next upstream if the class allows it. Throws UpstreamError,
   * `no_upstream`.
   */
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadAnswer>
  /**
   * Sends to at most three upstreams; resolves when one has it. A caller that leaves does not end the broadcast. Throws
   * UpstreamError with a node's own text, `no_upstream`.
   */
  broadcast(transaction: SignedTransaction, signal: AbortSignal): Promise<void>
  /** The answer that `k` upstreams agree on, or null. Throws `signal.reason`. */
  agree(question: Question, signal: AbortSignal): Promise<Agreement | null>
  /** True if a usable upstream is known to have this data, or not known to lack it. */
  canSome(need: DataKind, number: bigint | null): boolean
  status(): PoolStatus
  close(): Promise<void>
}

export type PoolParts = {
  readonly network: string
  readonly upstreams: readonly Upstream[]
  readonly ledger: InvalidReplyLog
  /** Sends a request with a known answer; null: only client requests can end a quarantine. */
  readonly canary: Canary | null
  readonly clock: Clock
  readonly log: Log
}

const poolLimits = {
  /** Upstreams queried per request. */
  queriedMax: 5,
  broadcastMax: 3,
  /** Rounds of a content request if only transport errors occurred, and the delay of the next one. */
  roundsMax: 3,
  againMs: 2_000,
  agreeMax: 8,
  /** Known reads in flight. */
  flightsMax: 4096,
} as const

export function createUpstreamPool(parts: PoolParts): UpstreamPool {
  const { network, upstreams, ledger, clock, log } = parts
  const choose = createChoose(upstreams, clock)
  const waitForUpstreams = createWaitForUpstreams({ upstreams, choose, clock })
  const budget = createHedgeBudget()
  const singleFlight = createSingleFlight<ReadAnswer>({ keysMax: poolLimits.flightsMax })
  const alarms = createVerificationAlarms({ network, clock, log })
  const closing = new AbortController()
  const canaries =
    parts.canary === null
      ? null
      : createCanaries({ upstreams, canary: parts.canary, clock, log, onVerdict: recordCanary })

  function recordCanary(upstream: Upstream, verdict: AttemptOutcome): void {
    if (verdict === 'taken') upstream.prove()
    if (typeof verdict !== 'object') return
    ledger.add(upstream.name, verdict.invalidReply, upstream.redact)
    // The canary's correct answer is known, so one invalid reply is sufficient evidence.
    upstream.reportInvalidReply(true)
  }

  /** Updates the statistics of the upstreams from the outcomes. */
  function learn({ need, number }: ContentQuery, findings: readonly AttemptResult[]): void {
    const winner = findings.find(({ verdict }) => verdict === 'taken')?.upstream
    const invalidReplies = invalidRepliesOf(findings)
    for (const { upstream, evidence } of invalidReplies) {
      ledger.add(upstream.name, evidence, upstream.redact)
      // Confirm the fault only if another upstream supplied a valid proof. If all fail, the chain may use other rules.
      upstream.reportInvalidReply(winner !== undefined)
    }
    for (const { upstream, verdict, kind } of findings) {
      if (isTooDeep(kind) && number !== null) upstream.cannot(need, number)
      // Incomplete and empty replies cost an extra call, so another upstream is preferred from then on.
      const isShort = verdict === 'absent' || (verdict === 'failed' && kind === null)
      if (isShort && winner !== undefined) upstream.disappoint('content')
    }
    if (winner !== undefined) {
      alarms.clear(need)
      // Without canaries, only client requests can end a quarantine.
      if (parts.canary === null) winner.prove()
      canaries?.answered(winner)
    } else if (invalidReplies.length > 0 && invalidReplies.length === countOfChain()) {
      alarms.raise(need)
    }
  }

  /** Upstreams of this chain, available or not: all must fail before an alarm is raised. */
  function countOfChain(): number {
    const count = upstreams.filter((one) => one.status().state !== 'wrong-chain').length
    return Math.min(count, poolLimits.queriedMax)
  }

  /** Synchronous if an upstream is available. */
  function lineFor(
    choice: UpstreamChoice,
    signal: AbortSignal,
  ): readonly Upstream[] | Promise<readonly Upstream[]> {
    const now = choose(choice)
    return now.length > 0 ? now.slice(0, poolLimits.queriedMax) : lineLater(choice, signal)
  }

  async function lineLater(
    choice: UpstreamChoice,
    signal: AbortSignal,
  ): Promise<readonly Upstream[]> {
    const line = await waitForUpstreams(choice, signal)
    if (line.length > 0) return line.slice(0, poolLimits.queriedMax)
    throw new Fault('no_upstream', { detail: `no source reachable for ${network}` })
  }

  return {
    upstreams,

    async content(query, attempt, signal) {
      const start = clock.monotonic()
      let findings: readonly AttemptResult[] = []
      for (let round = 0; round < poolLimits.roundsMax; round++) {
        const choice = { methodClass: 'content', ...query } as const
        // Only the first round waits for resting upstreams.
        const found = round === 0 ? lineFor(choice, signal) : choose(choice)
        const line = found instanceof Promise ? await found : found
        if (line.length === 0) break
        budget.earn()
        findings = await raceAttempts({ line, attempt, budget, clock }, signal)
        learn(query, findings)
        const isSoon = clock.monotonic() - start < poolLimits.againMs
        if (!isSoon || !findings.every(isTransportError)) break
      }
      return lastFailure(findings)
    },

    async read(request, signal) {
      const work = async (shared: AbortSignal): Promise<ReadAnswer> =>
        await readElsewhere(await lineFor(request, shared), request, shared)
      if (!isShared(request.methodClass)) return await work(signal)
      return await singleFlight.join(shareKey(request.method, request.params), signal, work)
    },

    async broadcast(transaction, signal) {
      signal.throwIfAborted()
      const line = await lineFor({ methodClass: 'send' }, signal)
      const sent = broadcast(line.slice(0, poolLimits.broadcastMax), transaction, closing.signal)
      const { promise: left, reject } = Promise.withResolvers<never>()
      const leave = (): void => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      try {
        await Promise.race([sent, left])
      } finally {
        signal.removeEventListener('abort', leave)
      }
    },

    async agree(question, signal) {
      const queried = upstreams.filter((one) => one.usable).slice(0, poolLimits.agreeMax)
      return await agreeOn(queried, question, signal)
    },

    canSome: (need, number) =>
      upstreams.some((one) => one.mayCall('content') && one.can(need, number) !== 'no'),

    status: () => ({ upstreams: upstreams.map((one) => one.status()), alarms: alarms.list() }),

    async close() {
      canaries?.stop()
      closing.abort(new Fault('shutting_down'))
      await Promise.all(upstreams.map((one) => one.close()))
      await ledger.idle()
    },
  }
}

/** True if the reply contained no information: the same upstream may supply the content soon. */
function isTransportError({ kind }: AttemptResult): boolean {
  return kind === 'trouble' || kind === 'rate_limit' || kind === 'not_asked'
}
