// One upstream node: a client behind limits, breakers and memory of how it has behaved.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import { createSingleFlight } from '../../../base/single-flight.ts'
import type { Log } from '../../../base/log.ts'
import { createHeadFeed, guessWebSocketUrl, type HeadFeed } from './head-feed.ts'
import { createJsonRpcClient, type Params } from './json-rpc-client.ts'
import { createLackingMethods } from './lacking-methods.ts'
import { classOf, isRead, type MethodClass } from './method-class.ts'
import { createQuarantine } from './quarantine.ts'
import { createHistoryBook } from './history-depth.ts'
import { hostOf } from './redact.ts'
import { replyBytesMaxOf } from './reply-caps.ts'
import { createUpstreamHealth } from '../pool/upstream-health.ts'
import {
  createRateLimitedSemaphore,
  type SemaphoreClass,
} from '../../../base/rate-limited-semaphore.ts'
import { isAboutMethod, UpstreamError } from './upstream-error.ts'
import type { CallOptions, Upstream, UpstreamOptions, UpstreamState } from './upstream.ts'

const upstreamLimits = {
  /** Calls in line for a place, for each place. */
  waitingPerPlace: 8,
  /** Taken for the latency of a class that was not called lately. */
  latencyGuessMs: 50,
  successRateMin: 0.01,
  /** One of another chain is asked so often whether it is back: balancers lead to one node now, to another then. */
  recheckMs: 60_000,
} as const

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
  const semaphore = createRateLimitedSemaphore(
    {
      concurrency: options.concurrency,
      perSecond: options.requestsPerSecond,
      waitingMax: options.concurrency * upstreamLimits.waitingPerPlace,
    },
    clock,
  )
  const standing = createUpstreamHealth({ name, clock, log })
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
  /** Since it was last free of quarantine. */
  let recentLies = 0

  function isAskable(): boolean {
    return !isClosed && chain !== 'wrong' && !standing.isCordoned && quarantine.state !== 'shut'
  }

  function tellChain(found: bigint): void {
    if (chainId === undefined) return
    if (found !== chainId && chain !== 'wrong') {
      log('error', 'upstream_of_another_chain', { upstream: name, expected: chainId, found })
    }
    chain = found === chainId ? 'right' : 'wrong'
    checkedAt = clock.monotonic()
  }

  /** Once, before anything is believed: all who come meanwhile wait for it. */
  async function checkChain(signal: AbortSignal): Promise<void> {
    const answer = await send('eth_chainId', [], signal, { methodClass: 'content', isProbe: false })
    const found = parseQuantity(answer)
    if (found === null) throw notAsked(name, 'its chain id is not known')
    tellChain(found)
  }

  function mustCheck(): boolean {
    if (chain !== 'wrong') return chain === 'unchecked'
    return clock.monotonic() - checkedAt >= upstreamLimits.recheckMs
  }

  function assertPassing(methodClass: MethodClass): void {
    if (!standing.mayPass(methodClass)) throw notAsked(name, 'resting after failures')
  }

  async function enter(line: SemaphoreClass, signal: AbortSignal): Promise<void> {
    const place = semaphore.enter(line, signal)
    if (place === null) throw notAsked(name, 'too many calls wait for it')
    await place
  }

  async function call(
    method: string,
    params: Params,
    signal: AbortSignal,
    { methodClass = classOf(method), isProbe = false }: CallOptions = {},
  ): Promise<unknown> {
    if (isClosed) throw notAsked(name, 'closed')
    if (!isProbe && mustCheck()) await checkFor(methodClass, signal)
    if (!isProbe && !isAskable()) throw notAsked(name, 'not in use')
    if (!isProbe && lacking.has(method)) throw lackingError(method)
    return await send(method, params, signal, { methodClass, isProbe })
  }

  async function checkFor(methodClass: MethodClass, signal: AbortSignal): Promise<void> {
    try {
      await checks.join('chain', signal, checkChain)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      // Else a class whose calls never get beyond the check would be chosen for ever.
      if (methodClass !== 'content') standing.fail(methodClass)
      if (error.kind === 'trouble') throw error
      // What it said of its chain must not count as its word on what was asked.
      throw notAsked(name, 'its chain id is not known')
    }
  }

  async function send(
    method: string,
    params: Params,
    signal: AbortSignal,
    { methodClass, isProbe }: Required<CallOptions>,
  ): Promise<unknown> {
    if (!isProbe) assertPassing(methodClass)
    const line = isProbe || methodClass === 'content' ? 'content' : 'other'
    if (!semaphore.tryEnter(line)) await enter(line, signal)
    try {
      if (!isProbe) assertPassing(methodClass)
      return await sendNow(method, params, signal, methodClass)
    } finally {
      semaphore.leave(line)
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
      const replyBytesMax = replyBytesMaxOf(method, params, options.replyBytesMax)
      const repeatable = isRead(methodClass)
      const result = await client.call(method, params, { repeatable, replyBytesMax }, signal)
      standing.succeed(methodClass, start)
      // Callers write these: a node may not know what one of them asks for.
      if (methodClass === 'read' || methodClass === 'trace') lacking.answered(method)
      return result
    } catch (error) {
      // Only the codes that are about the method: texts may be about one odd param of a caller.
      const isLack = error instanceof UpstreamError && error.kind === 'unsupported'
      if (isLack && isAboutMethod(error.code)) lacking.remember(method)
      standing.learn(error, methodClass, start)
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
      return semaphore.entered >= options.concurrency || semaphore.waiting > 0
    },
    lacks: (method) => lacking.has(method),
    can: (need, number) => reach.can(need, number, head),
    cost(methodClass) {
      const usualMs = standing.quantileMs(0.95, methodClass) ?? upstreamLimits.latencyGuessMs
      // One that hangs has no new latencies: what waits for it says how slow it is now.
      const ms =
        methodClass === 'content' ? Math.max(usualMs, standing.pendingMs('content')) : usualMs
      const rate = Math.max(standing.successRate(methodClass), upstreamLimits.successRateMin)
      const places = 1 + semaphore.waiting / options.concurrency
      return (ms * places * (1 + (lag ?? 0)) * (1 + recentLies)) / rate ** 2
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
    tellReach: (reaches) => reach.tell(reaches),
    tellChain,
    async confirmChain(signal) {
      if (chainId !== undefined) await checks.join('chain', signal, checkChain)
      if (chain === 'wrong') throw notAsked(name, 'of another chain')
    },
    cannot: (need, number) => reach.lower(need, number, head),
    rests: (methodClass) => isAskable() && !standing.mayPass(methodClass),
    wake: (methodClass) => standing.wake(methodClass),
    disappoint: (methodClass) => standing.fail(methodClass),
    prove() {
      if (quarantine.prove()) recentLies = 0
    },
    lie(isShut) {
      lies++
      recentLies++
      if (isShut) quarantine.lie()
    },
    status: () => ({
      name,
      trusted: options.trusted,
      state: stateNow(),
      p50Ms: shownMs(0.5),
      p95Ms: shownMs(0.95),
      successRate: standing.worstRate,
      head,
      heads: feed?.isLive === true ? 'pushed' : 'polled',
      lag,
      reach: reach.now(),
      // Callers write other names.
      lacks: lacking.list().filter((method) => classOf(method) !== 'unlisted'),
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

function notAsked(name: string, why: string): UpstreamError {
  return new UpstreamError({ kind: 'not_asked', phase: 'unsent', message: `${name}: ${why}` })
}
