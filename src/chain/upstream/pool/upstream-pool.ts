// A network's upstreams as one: chooses whom to ask, asks elsewhere when one fails, hedges content, shares known reads,
// and acts on lies. It proves nothing itself: attempts judge what they got.
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { createSingleFlight } from '../../../base/single-flight.ts'
import type { Log } from '../../../base/log.ts'
import { agreeOn, type Agreement, type Question } from './agree.ts'
import { createVerificationAlarms, type VerificationAlarm } from './verification-alarms.ts'
import { broadcast, type SignedTransaction } from './broadcast.ts'
import { createCanaries, type Canary } from './canaries.ts'
import { createChoose, type UpstreamChoice } from './choose-upstreams.ts'
import { createHedgeBudget } from './hedge-budget.ts'
import type { InvalidReplyLog } from './invalid-reply-log.ts'
import { isShared } from '../node/method-class.ts'
import {
  lastFailure,
  invalidRepliesOf,
  raceAttempts,
  type UpstreamAttempt,
  type AttemptResult,
} from './race-attempts.ts'
import type { DataKind } from '../node/history-depth.ts'
import { readElsewhere, type ReadAnswer, type ReadRequest } from './read-from-another.ts'
import { shareKey } from './share-key.ts'
import { isTooDeep } from '../node/upstream-error.ts'
import type { Upstream, UpstreamStatus } from '../node/upstream.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'
import { createWaitForUpstreams } from './wait-for-upstreams.ts'

type ContentAsked = {
  readonly need: DataKind
  /** Of the block, or null when it is not known. */
  readonly number: bigint | null
}

export type PoolStatus = {
  readonly upstreams: readonly UpstreamStatus[]
  /** Checks that every upstream failed: the network is built differently than its policy says. */
  readonly alarms: readonly VerificationAlarm[]
}

export type UpstreamPool = {
  readonly upstreams: readonly Upstream[]
  /**
   * Runs `attempt` on one upstream after the other until one is `taken`; beside one that takes longer than usual, on
   * the next too; again when nothing but the way failed. Returns the last word. `absent` only when two say so, or a trusted one. Throws Fault `no_upstream`
   * when nobody can be asked, `signal.reason`, or what an attempt threw that is no UpstreamError.
   */
  content(
    asked: ContentAsked,
    attempt: UpstreamAttempt,
    signal: AbortSignal,
  ): Promise<AttemptOutcome>
  /** One answer that cannot be proved. Asks elsewhere as the class allows. Throws UpstreamError, `no_upstream`. */
  read(asked: ReadRequest, signal: AbortSignal): Promise<ReadAnswer>
  /**
   * To up to three upstreams; resolves when one has it. A caller who leaves does not end the sending. Throws
   * UpstreamError with a node's own words, `no_upstream`.
   */
  broadcast(transaction: SignedTransaction, signal: AbortSignal): Promise<void>
  /** The answer that `k` upstreams give alike, or null. Throws `signal.reason`. */
  agree(question: Question, signal: AbortSignal): Promise<Agreement | null>
  /** Can any upstream that is in use have this, as far as is known? */
  canSome(need: DataKind, number: bigint | null): boolean
  status(): PoolStatus
  close(): Promise<void>
}

export type PoolParts = {
  readonly network: string
  readonly upstreams: readonly Upstream[]
  readonly ledger: InvalidReplyLog
  /** Something to ask whose truth is known; null: nobody comes out of quarantine but by what callers ask. */
  readonly canary: Canary | null
  readonly clock: Clock
  readonly log: Log
}

const poolLimits = {
  /** Upstreams asked for one thing. */
  askedMax: 5,
  broadcastMax: 3,
  /** How often content is asked for when all that failed was the way to it, and how soon after the start. */
  roundsMax: 3,
  againMs: 2_000,
  agreeMax: 8,
  /** Known reads under way. */
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
      : createCanaries({ upstreams, canary: parts.canary, clock, log, onVerdict: judgeCanary })

  function judgeCanary(upstream: Upstream, verdict: AttemptOutcome): void {
    if (verdict === 'taken') upstream.prove()
    if (typeof verdict !== 'object') return
    ledger.add(upstream.name, verdict.lie, upstream.redact)
    // Its truth is known here, so nobody else has to contradict it.
    upstream.lie(true)
  }

  /** What the answers say of those who gave them. */
  function learn({ need, number }: ContentAsked, findings: readonly AttemptResult[]): void {
    const winner = findings.find(({ verdict }) => verdict === 'taken')?.upstream
    const lies = invalidRepliesOf(findings)
    for (const { upstream, evidence } of lies) {
      ledger.add(upstream.name, evidence, upstream.redact)
      // Only another upstream's proof tells a liar from a network that is built differently (T25).
      upstream.lie(winner !== undefined)
    }
    for (const { upstream, verdict, kind } of findings) {
      if (isTooDeep(kind) && number !== null) upstream.cannot(need, number)
      // Nodes that stop short, or say there is nothing, cost a call each time: somebody else goes first then.
      const isShort = verdict === 'absent' || (verdict === 'failed' && kind === null)
      if (isShort && winner !== undefined) upstream.disappoint('content')
    }
    if (winner !== undefined) {
      alarms.clear(need)
      // Without canaries, what callers ask is all there is to come back by.
      if (parts.canary === null) winner.prove()
      canaries?.answered(winner)
    } else if (lies.length > 0 && lies.length === countOfChain()) {
      alarms.raise(need)
    }
  }

  /** Of this chain, whether they can be asked now or not: all of them must fail before the policy is doubted. */
  function countOfChain(): number {
    const count = upstreams.filter((one) => one.status().state !== 'wrong-chain').length
    return Math.min(count, poolLimits.askedMax)
  }

  /** At once where somebody can be asked. */
  function lineFor(
    wanted: UpstreamChoice,
    signal: AbortSignal,
  ): readonly Upstream[] | Promise<readonly Upstream[]> {
    const now = choose(wanted)
    return now.length > 0 ? now.slice(0, poolLimits.askedMax) : lineLater(wanted, signal)
  }

  async function lineLater(
    wanted: UpstreamChoice,
    signal: AbortSignal,
  ): Promise<readonly Upstream[]> {
    const line = await waitForUpstreams(wanted, signal)
    if (line.length > 0) return line.slice(0, poolLimits.askedMax)
    throw new Fault('no_upstream', { detail: `no source reachable for ${network}` })
  }

  return {
    upstreams,

    async content(asked, attempt, signal) {
      const start = clock.monotonic()
      let findings: readonly AttemptResult[] = []
      for (let round = 0; round < poolLimits.roundsMax; round++) {
        const wanted = { methodClass: 'content', ...asked } as const
        // Only the first round waits for those that rest.
        const found = round === 0 ? lineFor(wanted, signal) : choose(wanted)
        const line = found instanceof Promise ? await found : found
        if (line.length === 0) break
        budget.earn()
        findings = await raceAttempts({ line, attempt, budget, clock }, signal)
        learn(asked, findings)
        const isSoon = clock.monotonic() - start < poolLimits.againMs
        if (!isSoon || !findings.every(isTransportError)) break
      }
      return lastFailure(findings)
    },

    async read(asked, signal) {
      const work = async (shared: AbortSignal): Promise<ReadAnswer> =>
        await readElsewhere(await lineFor(asked, shared), asked, shared)
      if (!isShared(asked.methodClass)) return await work(signal)
      return await singleFlight.join(shareKey(asked.method, asked.params), signal, work)
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
      const asked = upstreams.filter((one) => one.usable).slice(0, poolLimits.agreeMax)
      return await agreeOn(asked, question, signal)
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

/** Nothing was learned of what was asked: the same upstream may bring it in a moment. */
function isTransportError({ kind }: AttemptResult): boolean {
  return kind === 'trouble' || kind === 'rate_limit' || kind === 'not_asked'
}
