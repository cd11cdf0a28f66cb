// Queries one upstream after the other until one supplies the content. If one takes longer than usual, the next is queried in
// parallel, within a budget; if one hangs, also without budget.
// Tested by src/chain/upstream/pool/upstream-pool.test.ts
import type { Clock } from '../../../base/clock.ts'
import { UpstreamError, type UpstreamErrorKind } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

/** Bytes that contradict a hash fixed by the request or the head. `expected`, `computed`: the differing values, as text. */
export type InvalidReplyEvidence = {
  readonly method: string
  readonly params: readonly unknown[]
  /** The result as received. */
  readonly response: unknown
  readonly expected: string
  readonly computed: string
  /** 32 bytes, if the request names a block. */
  readonly blockHash: Uint8Array | null
}

/**
 * `taken`: it supplied the requested content. `absent`: it reports that no such block exists. `cannot`: it no longer
 * has the content, or cannot prove it at that depth. `failed`: no usable reply.
 */
export type AttemptOutcome =
  | 'taken'
  | 'absent'
  | 'cannot'
  | 'failed'
  | { readonly invalidReply: InvalidReplyEvidence }

export type HedgeBudget = {
  /** Counts one regular call. */
  earn(): void
  /** True if one more hedge is allowed now; it is then counted. */
  spend(): boolean
}

const hedgeLimits = {
  /** A hedge starts after the pending upstream's p95, but not before this. */
  waitMsMin: 50,
  /**
   * Without budget, the next upstream is queried after this multiple of the p95, at the earliest after the minimum, because the
   * first seems to hang.
   */
  patienceShare: 10,
  patienceMsMin: 2_000,
  share: 0.1,
  savedMax: 10,
} as const

export function createHedgeBudget(): HedgeBudget {
  let saved = 1
  return {
    earn() {
      saved = Math.min(saved + hedgeLimits.share, hedgeLimits.savedMax)
    },
    spend() {
      // Allows for rounding: sums of tenths are slightly below whole numbers.
      if (saved < 1 - 1e-9) return false
      saved -= 1
      return true
    },
  }
}

/** May run on two upstreams in parallel. An UpstreamError counts as the outcome that its kind implies. */
export type UpstreamAttempt = (upstream: Upstream, signal: AbortSignal) => Promise<AttemptOutcome>

export type AttemptResult = {
  readonly upstream: Upstream
  readonly verdict: AttemptOutcome
  /** Kind of the error that determined the outcome; null if the attempt itself returned it. */
  readonly kind: UpstreamErrorKind | null
}

type Race = {
  /** In query order. */
  readonly line: readonly Upstream[]
  readonly attempt: UpstreamAttempt
  readonly budget: HedgeBudget
  readonly clock: Clock
}

/** Number of untrusted upstreams that must report an absence before Cairn accepts it. */
const absencesBelieved = 2

/**
 * The outcome of each queried upstream, in the order of their answers, without the attempts that were still running
 * when the content arrived. Rejects with `signal.reason`, or with an exception of an attempt that is not an
 * UpstreamError.
 */
export async function raceAttempts(
  race: Race,
  signal: AbortSignal,
): Promise<readonly AttemptResult[]> {
  const { line, attempt, budget, clock } = race
  const [only] = line
  if (only !== undefined && line.length === 1) return [await attemptAlone(only, attempt, signal)]
  const findings: AttemptResult[] = []
  const running = new Set<AbortController>()
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  let next = 0
  let hasHedged = false
  const hedgeTimer: { stop: (() => void) | null } = { stop: null }

  function launch(): boolean {
    const upstream = line[next++]
    if (upstream === undefined) return false
    const controller = new AbortController()
    running.add(controller)
    const trying = (async () => await attempt(upstream, controller.signal))()
    trying.then(
      (verdict) => settle(controller, { upstream, verdict, kind: null }),
      (error: unknown) => {
        if (error instanceof UpstreamError) {
          settle(controller, { upstream, verdict: verdictOf(error), kind: error.kind })
        } else if (running.has(controller)) reject(error)
      },
    )
    if (next < line.length) startTimer(upstream)
    else hedgeTimer.stop?.()
    return true
  }

  /** Starts the next attempt if this one takes long: early if the budget allows it, and later in any case. */
  function startTimer(upstream: Upstream): void {
    hedgeTimer.stop?.()
    const p95Ms = upstream.p95Ms('content') ?? 0
    const hedgeMs = Math.max(hedgeLimits.waitMsMin, p95Ms)
    const patienceMs = Math.max(hedgeLimits.patienceMsMin, hedgeLimits.patienceShare * p95Ms)
    hedgeTimer.stop = clock.after(hedgeMs, () => {
      if (!hasHedged && budget.spend()) {
        hasHedged = true
        launch()
        return
      }
      hedgeTimer.stop = clock.after(patienceMs - hedgeMs, () => {
        upstream.disappoint('content')
        launch()
      })
    })
  }

  function settle(controller: AbortController, finding: AttemptResult): void {
    if (!running.delete(controller)) return
    findings.push(finding)
    if (isEnough(finding)) resolve()
    else if (running.size === 0 && !launch()) resolve()
  }

  const leave = (): void => reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', leave, { once: true })
  try {
    if (launch()) await ended
    return findings
  } finally {
    signal.removeEventListener('abort', leave)
    hedgeTimer.stop?.()
    const left = [...running]
    running.clear()
    for (const controller of left) controller.abort(signal.aborted ? signal.reason : answered)
  }
}

/** A single upstream is queried without a race. */
async function attemptAlone(
  upstream: Upstream,
  attempt: UpstreamAttempt,
  signal: AbortSignal,
): Promise<AttemptResult> {
  signal.throwIfAborted()
  try {
    return { upstream, verdict: await attempt(upstream, signal), kind: null }
  } catch (error) {
    if (signal.aborted || !(error instanceof UpstreamError)) throw error
    return { upstream, verdict: verdictOf(error), kind: error.kind }
  }
}

/** Abort reason of attempts that are no longer needed. */
const answered = new Error('another upstream has answered')

/** Before an absence is accepted, all untrusted upstreams are queried, because one of them may have the content. */
function isEnough({ upstream, verdict }: AttemptResult): boolean {
  return verdict === 'taken' || (verdict === 'absent' && upstream.trusted)
}

function isAbsent(findings: readonly AttemptResult[]): boolean {
  const absences = findings.filter(({ verdict }) => verdict === 'absent')
  return absences.length >= absencesBelieved || absences.some(({ upstream }) => upstream.trusted)
}

/** The outcome of a failed query: the strongest of all outcomes. */
export function lastFailure(findings: readonly AttemptResult[]): AttemptOutcome {
  const verdicts = findings.map(({ verdict }) => verdict)
  if (verdicts.includes('taken')) return 'taken'
  if (isAbsent(findings)) return 'absent'
  return (
    verdicts.find((verdict) => typeof verdict === 'object') ??
    (['failed', 'absent', 'cannot'] as const).find((verdict) => verdicts.includes(verdict)) ??
    'failed'
  )
}

export function invalidRepliesOf(
  findings: readonly AttemptResult[],
): readonly { readonly upstream: Upstream; readonly evidence: InvalidReplyEvidence }[] {
  return findings.flatMap(({ upstream, verdict }) =>
    typeof verdict === 'object' ? [{ upstream, evidence: verdict.invalidReply }] : [],
  )
}

function verdictOf({ kind }: UpstreamError): AttemptOutcome {
  switch (kind) {
    case 'unknown_block':
    case 'not_canonical':
      return 'absent'
    case 'proof_window':
    case 'missing_state':
    case 'pruned':
    case 'unsupported':
    case 'no_tag':
      return 'cannot'
    case 'rate_limit':
    case 'billing':
    case 'credentials':
    case 'range':
    case 'execution':
    case 'already_known':
    case 'nonce_too_low':
    case 'client_fault':
    case 'trouble':
    case 'not_asked':
    case 'other':
      return 'failed'
  }
}
