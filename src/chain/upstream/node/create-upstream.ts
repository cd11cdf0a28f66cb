// One upstream node: a client with limits, circuit breakers and its record of behaviour.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import { createSingleFlight } from '../../../base/single-flight.ts'
import type { Log } from '../../../base/log.ts'
import { createCallHistory } from './call-history.ts'
import { createHeadFeed, guessWebSocketUrl, type HeadFeed } from './head-feed.ts'
import { type Params, createJsonRpcClient } from './json-rpc-client.ts'
import { createLackingMethods, createQuarantine } from './exclusions.ts'
import {
  type MethodClass,
  type MethodPolicies,
  classOf,
  isRead,
  replyBytesMaxOf,
} from './method-policy.ts'
import { createHistoryBook } from './history-depth.ts'
import { hostOf } from './redact.ts'
import { createUpstreamHealth } from '../pool/upstream-health.ts'
import {
  createRateLimitedSemaphore,
  type SemaphoreClass,
} from '../../../base/rate-limited-semaphore.ts'
import { isAboutMethod, UpstreamError } from './upstream-error.ts'
import type { CallOptions, Upstream, UpstreamOptions, UpstreamState } from './upstream.ts'

const upstreamLimits = {
  /** Queued calls per connection. */
  queuedPerSlot: 8,
  /** Assumed latency of a class without recent calls. */
  latencyGuessMs: 50,
  successRateMin: 0.01,
  /** Interval of chain ID checks for an upstream of another chain: a load balancer may lead to different nodes. */
  recheckMs: 60_000,
} as const

export function createUpstream(
  options: UpstreamOptions,
  parts: {
    /** Requested from the upstream before its first call; an upstream of another chain is never used. Absent: no check. */
    readonly chainId?: bigint
    readonly methods: MethodPolicies
    readonly clock: Clock
    readonly log: Log
  },
): Upstream {
  const { chainId, methods, clock, log } = parts
  const name = options.name ?? hostOf(new URL(options.url))
  const client = createJsonRpcClient({ ...options, connections: options.concurrency, clock })
  const semaphore = createRateLimitedSemaphore(
    {
      concurrency: options.concurrency,
      perSecond: options.requestsPerSecond,
      queuedMax: options.concurrency * upstreamLimits.queuedPerSlot,
    },
    clock,
  )
  const standing = createUpstreamHealth({ name, clock, log })
  const history = createCallHistory(clock)
  const quarantine = createQuarantine(clock)
  const reach = createHistoryBook(clock)
  const lacking = createLackingMethods(clock)
  const checks = createSingleFlight<void>({ keysMax: 1 })
  let chain: 'unchecked' | 'right' | 'wrong' = chainId === undefined ? 'right' : 'unchecked'
  let checkedAt = 0
  let feed: HeadFeed | null = null
  let isClosed = false
  let head: bigint | null = null
  let lag: number | null = null
  let lies = 0
  /** Invalid replies since its last release from quarantine. */
  let recentInvalidReplies = 0

  function isAskable(): boolean {
    return !isClosed && chain !== 'wrong' && !standing.isCordoned && quarantine.state !== 'shut'
  }

  function setChainId(found: bigint): void {
    if (chainId === undefined) return
    if (found !== chainId && chain !== 'wrong') {
      log('error', 'upstream_of_another_chain', { upstream: name, expected: chainId, found })
    }
    chain = found === chainId ? 'right' : 'wrong'
    checkedAt = clock.monotonic()
  }

  /** Runs once, before any reply is used; concurrent callers wait for the same check. */
  async function checkChain(signal: AbortSignal): Promise<void> {
    const answer = await send('eth_chainId', [], signal, { methodClass: 'content', isProbe: false })
    const found = parseQuantity(answer)
    if (found === null) throw notQueried(name, 'its chain id is not known')
    setChainId(found)
  }

  function mustCheck(): boolean {
    if (chain !== 'wrong') return chain === 'unchecked'
    return clock.monotonic() - checkedAt >= upstreamLimits.recheckMs
  }

  function assertPassing(methodClass: MethodClass): void {
    if (!standing.mayPass(methodClass)) throw notQueried(name, 'resting after failures')
  }

  async function acquireSlot(callClass: SemaphoreClass, signal: AbortSignal): Promise<void> {
    const admission = semaphore.acquire(callClass, signal)
    if (admission === null) throw notQueried(name, 'too many calls wait for it')
    await admission
  }

  async function call(
    method: string,
    params: Params,
    signal: AbortSignal,
    { methodClass = classOf(methods, method), isProbe = false }: CallOptions = {},
  ): Promise<unknown> {
    if (isClosed) throw notQueried(name, 'closed')
    if (!isProbe && mustCheck()) await checkFor(methodClass, signal)
    if (!isProbe && !isAskable()) throw notQueried(name, 'not in use')
    if (!isProbe && lacking.has(method)) throw lackingError(method)
    return await send(method, params, signal, { methodClass, isProbe })
  }

  async function checkFor(methodClass: MethodClass, signal: AbortSignal): Promise<void> {
    try {
      await checks.join('chain', signal, checkChain)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      // Otherwise a class whose calls never get past the check would be selected forever.
      if (methodClass !== 'content') standing.fail(methodClass)
      if (error.kind === 'trouble') throw error
      // The reply to eth_chainId must not count as an answer to the call.
      throw notQueried(name, 'its chain id is not known')
    }
  }

  async function send(
    method: string,
    params: Params,
    signal: AbortSignal,
    { methodClass, isProbe }: Required<CallOptions>,
  ): Promise<unknown> {
    if (!isProbe) assertPassing(methodClass)
    const callClass = isProbe || methodClass === 'content' ? 'content' : 'other'
    if (!semaphore.tryAcquire(callClass)) await acquireSlot(callClass, signal)
    try {
      if (!isProbe) assertPassing(methodClass)
      return await sendNow(method, params, signal, methodClass)
    } finally {
      semaphore.release(callClass)
    }
  }

  async function sendNow(
    method: string,
    params: Params,
    signal: AbortSignal,
    methodClass: MethodClass,
  ): Promise<unknown> {
    const start = standing.pass(methodClass)
    try {
      const replyBytesMax = replyBytesMaxOf(methods, { method, params }, options.replyBytesMax)
      const repeatable = isRead(methodClass)
      const result = await client.call(method, params, { repeatable, replyBytesMax }, signal)
      standing.succeed(methodClass, start)
      history.succeed()
      // Clients write the params of these calls, and a node may not support the params of one call.
      if (methodClass === 'read' || methodClass === 'trace') lacking.answered(method)
      return result
    } catch (error) {
      // Only codes about the method count: a text may be about unusual params of one client.
      const isLack = error instanceof UpstreamError && error.kind === 'unsupported'
      if (isLack && isAboutMethod(error.code)) lacking.remember(method)
      standing.learn(error, methodClass, start)
      history.learn(error)
      throw error
    } finally {
      standing.end(methodClass, start)
    }
  }

  function stateNow(): UpstreamState {
    if (chain === 'wrong') return 'wrong-chain'
    if (quarantine.state !== 'free') return 'quarantined'
    if (standing.isCordoned) return 'cordoned'
    return standing.isResting ? 'open' : 'ok'
  }

  function remainingMs(): number | null {
    if (quarantine.state !== 'free') return quarantine.leftMs
    return standing.isCordoned ? standing.cordonLeftMs : null
  }

  function shownMs(q: number): number | null {
    return standing.quantileMs(q, 'content') ?? standing.quantileMs(q, 'read')
  }

  return {
    name,
    trusted: options.trusted,
    redact: client.redact,
    call,
    get usable() {
      return !isClosed && chain !== 'wrong' && quarantine.state === 'free'
    },
    mayCall: (methodClass) => isAskable() && standing.mayPass(methodClass),
    get isProving() {
      return quarantine.state === 'proving'
    },
    get isFull() {
      return semaphore.active >= options.concurrency || semaphore.queued > 0
    },
    lacks: (method) => lacking.has(method),
    can: (need, number) => reach.can(need, number, head),
    cost(methodClass) {
      const usualMs = standing.quantileMs(0.95, methodClass) ?? upstreamLimits.latencyGuessMs
      // A hanging upstream has no new latencies: the age of its pending calls shows how slow it is.
      const ms =
        methodClass === 'content' ? Math.max(usualMs, standing.pendingMs('content')) : usualMs
      const rate = Math.max(standing.successRate(methodClass), upstreamLimits.successRateMin)
      const queueFactor = 1 + semaphore.queued / options.concurrency
      return (ms * queueFactor * (1 + (lag ?? 0)) * (1 + recentInvalidReplies)) / rate ** 2
    },
    p95Ms: (methodClass) => standing.quantileMs(0.95, methodClass),
    setLag(blocks, number) {
      lag = blocks
      head = number
    },
    watchHeads(onHead) {
      const { url, wsUrl, headers } = options
      if (isClosed || feed !== null || wsUrl === null) return
      feed = createHeadFeed({
        name,
        url: wsUrl ?? guessWebSocketUrl(url),
        isGuess: wsUrl === undefined,
        headers,
        clock,
        log,
        onHead,
      })
    },
    get isPushing() {
      return feed?.isLive ?? false
    },
    setHistoryDepths: (reaches) => reach.set(reaches),
    setChainId,
    async confirmChain(signal) {
      if (chainId !== undefined) await checks.join('chain', signal, checkChain)
      if (chain === 'wrong') throw notQueried(name, 'of another chain')
    },
    cannot: (need, number) => reach.lower(need, number, head),
    rests: (methodClass) => isAskable() && !standing.mayPass(methodClass),
    wake: (methodClass) => standing.wake(methodClass),
    disappoint: (methodClass) => standing.fail(methodClass),
    prove() {
      if (quarantine.prove()) recentInvalidReplies = 0
    },
    reportInvalidReply(isShut) {
      lies++
      recentInvalidReplies++
      if (isShut) quarantine.invalidReply()
    },
    status: () => ({
      name,
      trusted: options.trusted,
      state: stateNow(),
      leftMs: remainingMs(),
      p50Ms: shownMs(0.5),
      p95Ms: shownMs(0.95),
      successRate: standing.worstRate,
      history: history.now(),
      head,
      heads: feed?.isLive === true ? 'pushed' : 'polled',
      lag,
      reach: reach.now(),
      // Only clients call unlisted names.
      lacks: lacking.list().filter((method) => classOf(methods, method) !== 'unlisted'),
      lies,
    }),
    async close() {
      isClosed = true
      feed?.stop()
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

function notQueried(name: string, why: string): UpstreamError {
  return new UpstreamError({ kind: 'not_asked', phase: 'unsent', message: `${name}: ${why}` })
}
