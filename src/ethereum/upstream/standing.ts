// How an upstream stands with us, by what its calls came to: a breaker and latencies for each class of methods, and a
// cordon for all when it refuses our account.
// Tested by src/ethereum/upstream/upstream.test.ts
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { createBreaker, type Breaker } from './breaker.ts'
import { createLatencySketch, type LatencySketch } from './latency-sketch.ts'
import { methodClasses, type MethodClass } from './method-class.ts'
import { UpstreamError } from './upstream-error.ts'

export type Standing = {
  mayPass(methodClass: MethodClass): boolean
  /** A call is sent; `start` of `succeed` and `learn` is when, by the monotonic clock. */
  pass(methodClass: MethodClass): void
  succeed(methodClass: MethodClass, start: number): void
  fail(methodClass: MethodClass): void
  /** What a failed call says of the upstream. Takes whatever was thrown. */
  learn(error: unknown, methodClass: MethodClass, start: number): void
  /** It refuses our account, and is left alone. */
  readonly isCordoned: boolean
  /** At least one class rests. */
  readonly isResting: boolean
  /** Milliseconds, or null without a call lately. */
  quantileMs(q: number, methodClass: MethodClass): number | null
  /** Share of calls that went well, 0 to 1. */
  successRate(methodClass: MethodClass): number
  readonly worstRate: number
}

const standingLimits = {
  /** After a rate limit that named no time. */
  restMs: 1_000,
  /** How long an upstream that refuses our account is left alone, when it names no time. */
  cordonMs: { billing: 3_600_000, credentials: 600_000 },
} as const

type Gauge = { readonly breaker: Breaker; readonly latency: LatencySketch }
type Refusal = keyof typeof standingLimits.cordonMs

export function createStanding(parts: {
  /** How the upstream is called in the log. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
}): Standing {
  const { name, clock, log } = parts
  const gauges = new Map<MethodClass, Gauge>(
    methodClasses.map((methodClass) => [
      methodClass,
      { breaker: createBreaker(clock), latency: createLatencySketch(clock) },
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
   * Callers write all calls but those for content, and some are too much for any node: what fails while the node answers
   * others, or answers that it failed, must not rest the node for everybody.
   */
  function isOfCallItself(error: UpstreamError, methodClass: MethodClass, start: number): boolean {
    if (methodClass === 'content') return false
    return error.code !== null || (error.timedOut && answeredAt > start)
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
        breaker.rest(error.retryAfterMs ?? standingLimits.restMs)
        return
      case 'billing':
      case 'credentials':
        breaker.forget()
        // Nodes refuse single methods in the same words: only what we ask ourselves speaks of the account.
        if (methodClass === 'content') cordon(error, error.kind)
        else breaker.rest(error.retryAfterMs ?? standingLimits.restMs)
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
    pass: (methodClass) => gaugeOf(methodClass).breaker.pass(),
    succeed,
    fail: (methodClass) => gaugeOf(methodClass).breaker.fail(),
    learn(error, methodClass, start) {
      if (error instanceof UpstreamError) learnOf(error, methodClass, start)
      else gaugeOf(methodClass).breaker.forget()
    },
    get isCordoned() {
      return isCordoned()
    },
    get isResting() {
      return [...gauges.values()].some(({ breaker }) => breaker.state === 'open')
    },
    quantileMs: (q, methodClass) => gaugeOf(methodClass).latency.quantile(q),
    successRate: (methodClass) => gaugeOf(methodClass).breaker.successRate,
    get worstRate() {
      return Math.min(...[...gauges.values()].map(({ breaker }) => breaker.successRate))
    },
  }
}
