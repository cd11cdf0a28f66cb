// Health of an upstream from the outcomes of its calls: a circuit breaker and latencies for each class of methods, and
// a cordon for all classes if it refuses the operator's account.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import { createCircuitBreaker, type CircuitBreaker } from '../../../base/circuit-breaker.ts'
import { type LatencySketch, createLatencySketch } from '../../../base/latency.ts'
import { type MethodClass, methodClasses } from '../node/method-policy.ts'
import { UpstreamError } from '../node/upstream-error.ts'

export type UpstreamHealth = {
  mayPass(methodClass: MethodClass): boolean
  /** Records that a call is sent. Returns the monotonic time, to be passed as `start` when the call ends. */
  pass(methodClass: MethodClass): number
  /** Records the end of a call, with any outcome. */
  end(methodClass: MethodClass, start: number): void
  succeed(methodClass: MethodClass, start: number): void
  fail(methodClass: MethodClass): void
  /** Allows one trial call of the class now, despite a rest after failures. */
  wake(methodClass: MethodClass): void
  /** Records a failed call. Accepts any exception. */
  learn(error: unknown, methodClass: MethodClass, start: number): void
  /** It refuses the operator's account and receives no calls. */
  readonly isCordoned: boolean
  /** Remaining time of the cordon, milliseconds. */
  readonly cordonLeftMs: number
  /** At least one class rests. */
  readonly isResting: boolean
  /** Milliseconds, or null without a recent call. */
  quantileMs(q: number, methodClass: MethodClass): number | null
  /** Age of the oldest running call of the class, milliseconds. */
  pendingMs(methodClass: MethodClass): number
  /** Share of successful calls, 0 to 1. */
  successRate(methodClass: MethodClass): number
  readonly worstRate: number
}

const standingLimits = {
  /** Minimum rest after a rate limit. */
  restMs: 1_000,
  /** Time without calls for an upstream that refuses the operator's account, if it names none. */
  cordonMs: { billing: 3_600_000, credentials: 600_000 },
} as const

type Gauge = {
  readonly breaker: CircuitBreaker
  readonly latency: LatencySketch
  /** Start times of running calls, with the number of calls for each; the oldest first. */
  readonly starts: Map<number, number>
}
type Refusal = keyof typeof standingLimits.cordonMs

export function createUpstreamHealth(parts: {
  /** Name of the upstream in the log. */
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
  /** Time of its last answer to any call. */
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
   * True if the error is about the call itself, so that the upstream must not rest for all clients. Clients write all calls except
   * those for content, and one may be too large for any node, or refused by a proxy (413). The node answers other calls meanwhile,
   * or returned an error of its own.
   */
  function isOfCallItself(error: UpstreamError, methodClass: MethodClass, start: number): boolean {
    if (methodClass === 'content') return false
    if (error.code !== null || error.tooLarge) return true
    const isRefused = error.status !== null && error.status >= 400 && error.status <= 499
    return isRefused || (error.timedOut && answeredAt > start)
  }

  /** The caller aborted. If the call took longer than usual, its time counts as a minimum latency. */
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
        // Nothing was sent, so the trial call was not used.
        return
      case 'trouble':
        if (isOfCallItself(error, methodClass, start)) breaker.forget()
        else breaker.fail()
        if (error.retryAfterMs !== null) breaker.pause(error.retryAfterMs)
        return
      case 'rate_limit':
        breaker.forget()
        breaker.pause(Math.max(error.retryAfterMs ?? 0, standingLimits.restMs))
        return
      case 'billing':
      case 'credentials':
        breaker.forget()
        // Nodes refuse single methods with the same texts: only Cairn's own calls reveal the state of the account.
        if (methodClass === 'content') cordon(error, error.kind)
        else if (error.retryAfterMs !== null) breaker.pause(error.retryAfterMs)
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
    get cordonLeftMs() {
      return Math.max(0, cordonUntil - clock.monotonic())
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
