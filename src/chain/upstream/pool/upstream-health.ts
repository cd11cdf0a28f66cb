// How an upstream stands with us, by what its calls came to: a breaker and latencies for each class of methods, and a
// cordon for all when it refuses our account.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { createCircuitBreaker, type CircuitBreaker } from '../../../base/circuit-breaker.ts'
import { createLatencySketch, type LatencySketch } from '../../../base/latency-sketch.ts'
import { methodClasses, type MethodClass } from '../node/method-class.ts'
import { UpstreamError } from '../node/upstream-error.ts'

export type UpstreamHealth = {
  mayPass(methodClass: MethodClass): boolean
  /** A call is sent, now. Returns when, by the monotonic clock: `start` of what is said of it at its end. */
  pass(methodClass: MethodClass): number
  /** It has ended, whatever came of it. */
  end(methodClass: MethodClass, start: number): void
  succeed(methodClass: MethodClass, start: number): void
  fail(methodClass: MethodClass): void
  /** Lets one call of the class try now, though it rests after failures. */
  wake(methodClass: MethodClass): void
  /** What a failed call says of the upstream. Takes whatever was thrown. */
  learn(error: unknown, methodClass: MethodClass, start: number): void
  /** It refuses our account, and is left alone. */
  readonly isCordoned: boolean
  /** At least one class rests. */
  readonly isResting: boolean
  /** Milliseconds, or null without a call lately. */
  quantileMs(q: number, methodClass: MethodClass): number | null
  /** How long the oldest call of the class is under way, milliseconds. */
  pendingMs(methodClass: MethodClass): number
  /** Share of calls that went well, 0 to 1. */
  successRate(methodClass: MethodClass): number
  readonly worstRate: number
}

const standingLimits = {
  /** After a rate limit, at least. */
  restMs: 1_000,
  /** How long an upstream that refuses our account is left alone, when it names no time. */
  cordonMs: { billing: 3_600_000, credentials: 600_000 },
} as const

type Gauge = {
  readonly breaker: CircuitBreaker
  readonly latency: LatencySketch
  /** When the calls under way started, and how many at that time; the oldest first. */
  readonly starts: Map<number, number>
}
type Refusal = keyof typeof standingLimits.cordonMs

export function createUpstreamHealth(parts: {
  /** How the upstream is called in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
}): UpstreamHealth {
  const { name, clock, log } = parts
  const gauges = new Map<MethodClass, Gauge>(
    methodClasses.map((methodClass) => [
      methodClass,
      {
        breaker: createCircuitBreaker(clock),
        latency: createLatencySketch(clock),
        starts: new Map<number, number>(),
      },
    ]),
  )
  let cordonUntil = 0
  /** When it last answered any call. */
  let answeredAt = -1

  function gaugeOf(methodClass: MethodClass): Gauge {
    const gauge = gauges.get(methodClass)
    if (gauge === undefined) throw new Error(`no class ${methodClass}`)
    return gauge
  }

  function isCordoned(): boolean {
    return clock.monotonic() < cordonUntil
  }

  function succeed(methodClass: MethodClass, start: number): void {
    const { breaker, latency } = gaugeOf(methodClass)
    answeredAt = clock.monotonic()
    breaker.succeed()
    latency.add(answeredAt - start)
  }

  function cordon(error: UpstreamError, kind: Refusal): void {
    if (!isCordoned()) {
      log('error', 'upstream_cordoned', { upstream: name, why: kind, said: error.message })
    }
    const ms = error.retryAfterMs ?? standingLimits.cordonMs[kind]
    cordonUntil = Math.max(cordonUntil, clock.monotonic() + ms)
  }

  /**
   * Callers write all calls but those for content, and some are too much for any node, or refused before it (413): what
   * fails while the node answers others, or answers that it failed, must not rest the node for everybody.
   */
  function isOfCallItself(error: UpstreamError, methodClass: MethodClass, start: number): boolean {
    if (methodClass === 'content') return false
    if (error.code !== null || error.tooLarge) return true
    const isRefused = error.status !== null && error.status >= 400 && error.status <= 499
    return isRefused || (error.timedOut && answeredAt > start)
  }

  /** Whoever waited left: when that was longer than usual, it took at least so long. */
  function learnOfLeaving(methodClass: MethodClass, start: number): void {
    const { breaker, latency } = gaugeOf(methodClass)
    breaker.forget()
    const ms = clock.monotonic() - start
    if (ms > (latency.quantile(0.95) ?? 0)) latency.add(ms)
  }

  function learnOf(error: UpstreamError, methodClass: MethodClass, start: number): void {
    const { breaker } = gaugeOf(methodClass)
    switch (error.kind) {
      case 'not_asked':
        // Nothing was sent, so it did not take the place of the one call that may try.
        return
      case 'trouble':
        if (isOfCallItself(error, methodClass, start)) breaker.forget()
        else breaker.fail()
        if (error.retryAfterMs !== null) breaker.rest(error.retryAfterMs)
        return
      case 'rate_limit':
        breaker.forget()
        breaker.rest(Math.max(error.retryAfterMs ?? 0, standingLimits.restMs))
        return
      case 'billing':
      case 'credentials':
        breaker.forget()
        // Nodes refuse single methods in the same words: only what we ask ourselves speaks of the account.
        if (methodClass === 'content') cordon(error, error.kind)
        else if (error.retryAfterMs !== null) breaker.rest(error.retryAfterMs)
        return
      case 'range':
      case 'no_tag':
      case 'proof_window':
      case 'pruned':
      case 'missing_state':
      case 'unknown_block':
      case 'not_canonical':
      case 'execution':
      case 'already_known':
      case 'nonce_too_low':
      case 'unsupported':
      case 'client_fault':
      case 'other':
        succeed(methodClass, start)
    }
  }

  return {
    mayPass: (methodClass) => gaugeOf(methodClass).breaker.mayPass(),
    pass(methodClass) {
      const { breaker, starts } = gaugeOf(methodClass)
      const start = clock.monotonic()
      breaker.pass()
      starts.set(start, (starts.get(start) ?? 0) + 1)
      return start
    },
    end(methodClass, start) {
      const { starts } = gaugeOf(methodClass)
      const count = starts.get(start) ?? 0
      if (count > 1) starts.set(start, count - 1)
      else starts.delete(start)
    },
    succeed,
    fail: (methodClass) => gaugeOf(methodClass).breaker.fail(),
    wake: (methodClass) => gaugeOf(methodClass).breaker.wake(),
    learn(error, methodClass, start) {
      if (error instanceof UpstreamError) learnOf(error, methodClass, start)
      else learnOfLeaving(methodClass, start)
    },
    get isCordoned() {
      return isCordoned()
    },
    get isResting() {
      return [...gauges.values()].some(({ breaker }) => breaker.state === 'open')
    },
    quantileMs: (q, methodClass) => gaugeOf(methodClass).latency.quantile(q),
    pendingMs(methodClass) {
      const [oldest] = gaugeOf(methodClass).starts.keys()
      return oldest === undefined ? 0 : clock.monotonic() - oldest
    },
    successRate: (methodClass) => gaugeOf(methodClass).breaker.successRate,
    get worstRate() {
      return Math.min(...[...gauges.values()].map(({ breaker }) => breaker.successRate))
    },
  }
}
