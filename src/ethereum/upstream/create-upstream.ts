// One upstream node: a client behind limits, breakers and memory of how it has behaved.
// Tested by src/ethereum/upstream/upstream.test.ts
import type { Clock } from '../../base/clock.ts'
import { createFlight } from '../../base/flight.ts'
import type { Log } from '../../base/log.ts'
import { createBreaker, type Breaker } from './breaker.ts'
import { createJsonRpcClient, type Params } from './json-rpc-client.ts'
import { createLackingMethods } from './lacking-methods.ts'
import { createLatencySketch, type LatencySketch } from './latency-sketch.ts'
import { classOf, isRead, methodClasses, type MethodClass } from './method-class.ts'
import { createQuarantine } from './quarantine.ts'
import { createReachBook } from './reach.ts'
import { hostOf } from './redact.ts'
import { createTurnstile } from './turnstile.ts'
import { UpstreamError } from './upstream-error.ts'
import type { CallOptions, Upstream, UpstreamOptions, UpstreamState } from './upstream.ts'

const upstreamLimits = {
  /** Calls in line for a place, for each place. */
  waitingPerPlace: 8,
  /** After a rate limit that named no time. */
  restMs: 1_000,
  /** Taken for the latency of a class that was not called lately. */
  latencyGuessMs: 50,
  successRateMin: 0.01,
} as const

/** How long an upstream that refuses our account is left alone, when it names no time. */
const cordonMs = { billing: 3_600_000, credentials: 600_000 } as const

type Gauge = { readonly breaker: Breaker; readonly latency: LatencySketch }

export function createUpstream(
  options: UpstreamOptions,
  parts: {
    /** Asked of the upstream before its first call; one of another chain is never used. Without it, not asked. */
    readonly chainId?: bigint
    readonly clock: Clock
    readonly log: Log
  },
): Upstream {
  const { chainId, clock, log } = parts
  const name = options.name ?? hostOf(new URL(options.url))
  const client = createJsonRpcClient({ ...options, connections: options.concurrency, clock })
  const turnstile = createTurnstile(
    {
      concurrency: options.concurrency,
      perSecond: options.requestsPerSecond,
      waitingMax: options.concurrency * upstreamLimits.waitingPerPlace,
    },
    clock,
  )
  const gauges = new Map<MethodClass, Gauge>(
    methodClasses.map((methodClass) => [
      methodClass,
      { breaker: createBreaker(clock), latency: createLatencySketch(clock) },
    ]),
  )
  const quarantine = createQuarantine(clock)
  const reach = createReachBook(clock)
  const lacking = createLackingMethods(clock)
  let cordonUntil = 0
  const checks = createFlight<void>({ seatsMax: 1 })
  let chain: 'unchecked' | 'right' | 'wrong' = chainId === undefined ? 'right' : 'unchecked'
  let isClosed = false
  let head: bigint | null = null
  let lag: number | null = null
  let lies = 0

  function gaugeOf(methodClass: MethodClass): Gauge {
    const gauge = gauges.get(methodClass)
    if (gauge === undefined) throw new Error(`no class ${methodClass}`)
    return gauge
  }

  function isCordoned(): boolean {
    return clock.monotonic() < cordonUntil
  }

  function isAskable(): boolean {
    return !isClosed && chain !== 'wrong' && !isCordoned() && quarantine.state !== 'shut'
  }

  function cordon(error: UpstreamError, kind: keyof typeof cordonMs): void {
    if (!isCordoned()) {
      log('error', 'upstream_cordoned', { upstream: name, why: kind, said: error.message })
    }
    cordonUntil = Math.max(cordonUntil, clock.monotonic() + (error.retryAfterMs ?? cordonMs[kind]))
  }

  function tellChain(found: bigint): void {
    if (chainId === undefined) return
    if (found !== chainId && chain !== 'wrong') {
      log('error', 'upstream_of_another_chain', { upstream: name, expected: chainId, found })
    }
    chain = found === chainId ? 'right' : 'wrong'
  }

  /** Once, before anything is believed: all who come meanwhile wait for it. */
  async function checkChain(signal: AbortSignal): Promise<void> {
    const answer = await send('eth_chainId', [], signal, gaugeOf('read'), {
      isProbe: false,
      repeatable: true,
    })
    const found = parseQuantity(answer)
    if (found === null) throw notAsked(name, 'its chain id is not known')
    tellChain(found)
  }

  /** What a failed call says of the upstream. */
  function learn(error: unknown, method: string, { breaker, latency }: Gauge, ms: number): void {
    if (!(error instanceof UpstreamError)) {
      breaker.forget()
      return
    }
    const { kind, retryAfterMs } = error
    if (kind === 'trouble') {
      breaker.fail()
      if (retryAfterMs !== null) breaker.rest(retryAfterMs)
      return
    }
    if (kind === 'not_asked' || kind === 'rate_limit' || kind in cordonMs) breaker.forget()
    if (kind === 'not_asked') return
    if (kind === 'rate_limit') {
      breaker.rest(retryAfterMs ?? upstreamLimits.restMs)
      return
    }
    if (kind === 'billing' || kind === 'credentials') {
      cordon(error, kind)
      return
    }
    // Only the code that is about the method: texts may be about one odd param of a caller.
    if (kind === 'unsupported' && error.code === -32601) lacking.remember(method)
    breaker.succeed()
    latency.add(ms)
  }

  function assertPassing({ breaker }: Gauge): void {
    if (!breaker.mayPass()) throw notAsked(name, 'resting after failures')
  }

  async function enter(signal: AbortSignal): Promise<void> {
    const place = turnstile.enter(signal)
    if (place === null) throw notAsked(name, 'too many calls wait for it')
    await place
  }

  async function call(
    method: string,
    params: Params,
    signal: AbortSignal,
    { methodClass = classOf(method), isProbe = false }: CallOptions = {},
  ): Promise<unknown> {
    const gauge = gaugeOf(methodClass)
    if (isClosed) throw notAsked(name, 'closed')
    if (!isProbe && chain === 'unchecked') await checkFor(gauge, signal)
    if (!isProbe && !isAskable()) throw notAsked(name, 'not in use')
    if (!isProbe && lacking.has(method)) throw lackingError(method)
    return await send(method, params, signal, gauge, { isProbe, repeatable: isRead(methodClass) })
  }

  async function checkFor({ breaker }: Gauge, signal: AbortSignal): Promise<void> {
    try {
      await checks.join('chain', signal, checkChain)
    } catch (error) {
      // Else a class whose calls never get beyond the check would be chosen for ever.
      if (error instanceof UpstreamError && error.kind === 'trouble') breaker.fail()
      throw error
    }
  }

  async function send(
    method: string,
    params: Params,
    signal: AbortSignal,
    gauge: Gauge,
    { isProbe, repeatable }: { readonly isProbe: boolean; readonly repeatable: boolean },
  ): Promise<unknown> {
    if (!isProbe) assertPassing(gauge)
    if (!turnstile.tryEnter()) await enter(signal)
    const start = clock.monotonic()
    try {
      if (!isProbe) assertPassing(gauge)
      gauge.breaker.pass()
      const result = await client.call(method, params, { repeatable }, signal)
      gauge.breaker.succeed()
      gauge.latency.add(clock.monotonic() - start)
      return result
    } catch (error) {
      learn(error, method, gauge, clock.monotonic() - start)
      throw error
    } finally {
      turnstile.leave()
    }
  }

  function stateNow(): UpstreamState {
    if (chain === 'wrong') return 'wrong-chain'
    if (quarantine.state !== 'free') return 'quarantined'
    if (isCordoned()) return 'cordoned'
    return [...gauges.values()].some(({ breaker }) => breaker.state === 'open') ? 'open' : 'ok'
  }

  function latencyShown(): LatencySketch {
    const content = gaugeOf('content').latency
    return content.count > 0 ? content : gaugeOf('read').latency
  }

  return {
    name,
    trusted: options.trusted,
    redact: client.redact,
    call,
    get usable() {
      return !isClosed && chain !== 'wrong' && quarantine.state === 'free'
    },
    mayCall: (methodClass) => isAskable() && gaugeOf(methodClass).breaker.mayPass(),
    get isProving() {
      return quarantine.state === 'proving'
    },
    get isFull() {
      return turnstile.entered >= options.concurrency || turnstile.waiting > 0
    },
    lacks: (method) => lacking.has(method),
    can: (need, number) => reach.can(need, number, head),
    cost(methodClass) {
      const { breaker, latency } = gaugeOf(methodClass)
      const ms = latency.quantile(0.95) ?? upstreamLimits.latencyGuessMs
      const rate = Math.max(breaker.successRate, upstreamLimits.successRateMin)
      const places = 1 + turnstile.waiting / options.concurrency
      return (ms * places * (1 + (lag ?? 0)) * (1 + lies)) / rate ** 2
    },
    p95Ms: (methodClass) => gaugeOf(methodClass).latency.quantile(0.95),
    setLag(blocks, number) {
      lag = blocks
      head = number
    },
    tellReach: (reaches) => reach.tell(reaches),
    tellChain,
    cannot: (need, number) => reach.lower(need, number, head),
    disappoint: (methodClass) => gaugeOf(methodClass).breaker.fail(),
    prove: () => quarantine.prove(),
    lie(isShut) {
      lies++
      if (isShut) quarantine.lie()
    },
    status: () => ({
      name,
      trusted: options.trusted,
      state: stateNow(),
      p50Ms: latencyShown().quantile(0.5),
      p95Ms: latencyShown().quantile(0.95),
      successRate: Math.min(...[...gauges.values()].map(({ breaker }) => breaker.successRate)),
      head,
      lag,
      reach: reach.now(),
      lacks: lacking.list(),
      lies,
    }),
    async close() {
      isClosed = true
      await client.close()
    },
  }
}

const quantity = /^0x[0-9a-fA-F]{1,64}$/

function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && quantity.test(value) ? BigInt(value) : null
}

function lackingError(method: string): UpstreamError {
  return new UpstreamError({
    kind: 'unsupported',
    phase: 'unsent',
    code: -32601,
    message: `the method ${method} does not exist/is not available`,
  })
}

function notAsked(name: string, why: string): UpstreamError {
  return new UpstreamError({ kind: 'not_asked', phase: 'unsent', message: `${name}: ${why}` })
}
