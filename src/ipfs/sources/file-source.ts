// One source that returns blocks by CID: a trustless HTTP gateway (another Cairn is one), or the RPC API of a Kubo node. It does
// not verify blocks. It records latency, the share of requests that find the block, and failures, and pauses a failing source.
import type { LookupFunction } from 'node:net'
import type { CID } from 'multiformats/cid'
import { createCircuitBreaker, type CircuitBreakerLimits } from '../../base/circuit-breaker.ts'
import type { Clock } from '../../base/clock.ts'
import { createLatencySketch } from '../../base/latency.ts'
import { createRateLimitedSemaphore } from '../../base/rate-limited-semaphore.ts'
import { cidOf } from '../../codec/ipld/cid.ts'
import { createHttpClient, type HttpRequest, type HttpReply, HttpTrouble } from './http-client.ts'

export type FileSourceConfig = {
  readonly name: string
  /** `http` or `https`; its path prefix, query and credentials are sent with every request. */
  readonly url: string
  /** `gateway`: `GET /ipfs/<cid>?format=raw`. `kubo`: `POST /api/v0/block/get`. */
  readonly speaks: 'gateway' | 'kubo'
  readonly headers: Readonly<Record<string, string>>
  /** Maximum number of concurrent block requests. */
  readonly concurrency: number
  /** Time limit of one block, from the start of the request to the last byte. */
  readonly timeoutMs: number
  readonly blockBytesMax: number
  /** As `PoolLimits.lookup`. */
  readonly lookup?: LookupFunction
}

export type FileSource = {
  readonly name: string
  /** False while the source is paused. */
  isAvailable(): boolean
  /** The lower, the sooner the source is likely to return a block. */
  readonly score: number
  /** Delay before a second source is asked in parallel. */
  readonly hedgeMs: number
  /**
   * Returns an unverified block; null: the source does not have it. Waiting for a free slot counts towards no time limit but
   * `signal`. Throws HttpTrouble if the request failed, `signal.reason` when that aborts.
   */
  find(cid: CID, signal: AbortSignal): Promise<Uint8Array | null>
  /** Call if the bytes that `find` returned failed verification. */
  reportInvalid(): void
  /** Requests a well-known block. Throws HttpTrouble with the problem. */
  probe(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** A source that fails half of its requests is paused for five seconds: reads wait up to a minute for a block. */
const breakerLimits: CircuitBreakerLimits = {
  windowMs: 30_000,
  callsMin: 6,
  failedShare: 0.5,
  openMs: 5_000,
}
/** Pause after a wrong block, and after a rate-limit reply without Retry-After. */
const pauseMs = 5_000
/** Pause after refused credentials, which do not become valid by waiting. */
const refusedPauseMs = 30_000
const pauseMsMax = 60_000
const queuedMax = 4096
const hedgeMsUsual = 500
const hedgeMsMin = 20
const hedgeMsMax = 2_000
/** With fewer replies the measured latency is not used. */
const answersMin = 8
/** Assumed latency of a source without replies: low enough that it is tried. */
const usualMs = 50
/** Weight of the newest reply in the share of found blocks. */
const newest = 0.1
/** The empty block as an identity CID, which every gateway returns (trustless gateway specification, probe). */
const emptyPath = '/ipfs/bafkqaaa'

export function createFileSource(config: FileSourceConfig, clock: Clock): FileSource {
  const { name, speaks, concurrency, timeoutMs, blockBytesMax } = config
  const client = createHttpClient({ ...config, connections: concurrency, clock })
  const breaker = createCircuitBreaker(clock, breakerLimits)
  const semaphore = createRateLimitedSemaphore({ concurrency, perSecond: null, queuedMax }, clock)
  const latency = createLatencySketch(clock)
  let foundShare = 1

  async function fetchBlock(cid: CID, signal: AbortSignal): Promise<Uint8Array | null> {
    const began = clock.monotonic()
    let reply: HttpReply
    try {
      reply = await client.send(
        { ...requestFor(cid, speaks), replyBytesMax: blockBytesMax, timeoutMs },
        signal,
      )
    } catch (thrown) {
      if (!signal.aborted) breaker.fail()
      else {
        // The caller left, or another source was faster: not a failure, but this source would have taken longer.
        breaker.forget()
        const tookMs = clock.monotonic() - began
        if (tookMs > (latency.quantile(0.5) ?? usualMs)) latency.add(tookMs)
      }
      throw thrown
    }
    const found = classify(reply, speaks)
    if (found === 'refused' || found === 'busy') {
      const usual = found === 'refused' ? refusedPauseMs : pauseMs
      breaker.pause(Math.min(reply.retryAfterMs ?? usual, pauseMsMax))
      throw new HttpTrouble(`status ${reply.status}`)
    }
    if (found === 'failed') {
      breaker.fail()
      throw new HttpTrouble(`status ${reply.status}`)
    }
    breaker.succeed()
    foundShare += newest * ((found === 'found' ? 1 : 0) - foundShare)
    if (found === 'absent') return null
    latency.add(clock.monotonic() - began)
    return reply.bytes
  }

  return {
    name,
    isAvailable: () => breaker.mayPass(),
    get score() {
      const usual = latency.quantile(0.5) ?? usualMs
      const load = (semaphore.active + semaphore.queued + 1) / concurrency
      return (usual * (1 + load)) / Math.max(foundShare, 0.02)
    },
    get hedgeMs() {
      const slow = latency.count < answersMin ? hedgeMsUsual : latency.quantile(0.95)
      return Math.min(Math.max(slow ?? hedgeMsUsual, hedgeMsMin), hedgeMsMax)
    },
    async find(cid, signal) {
      const slot = semaphore.acquire('content', signal)
      if (slot === null) throw new HttpTrouble('too many requests are waiting for this source')
      await slot
      try {
        // The breaker may have opened while this request waited.
        if (!breaker.mayPass()) throw new HttpTrouble('the source is paused after failures')
        breaker.pass()
        return await fetchBlock(cid, signal)
      } finally {
        semaphore.release('content')
      }
    },
    reportInvalid: () => breaker.pause(pauseMs),
    async probe(signal) {
      const request: HttpRequest =
        speaks === 'kubo'
          ? { method: 'POST', path: '/api/v0/version', replyBytesMax: 65_536, timeoutMs }
          : { ...rawRequest(emptyPath), replyBytesMax: 65_536, timeoutMs }
      const { status, bytes } = await client.send(request, signal)
      if (status !== 200) throw new HttpTrouble(`status ${status}`)
      if (speaks === 'gateway' && bytes.length > 0) {
        throw new HttpTrouble('the gateway returned a page instead of a block')
      }
    },
    close: () => client.close(),
  }
}

function requestFor(cid: CID, speaks: FileSourceConfig['speaks']) {
  const text = cidOf(1, cid.code, cid.multihash.bytes).toString()
  if (speaks === 'gateway') return rawRequest(`/ipfs/${text}`)
  const query = [['arg', text]] as const
  return { method: 'POST', path: '/api/v0/block/get', query } as const
}

/** RFC 8586: a Cairn that receives this header uses no sources, which prevents loops between two that name each other. */
const rawHeaders = { accept: 'application/vnd.ipld.raw', 'cdn-loop': 'cairn' } as const

function rawRequest(path: string) {
  const query = [['format', 'raw']] as const
  return { method: 'GET', path, query, headers: rawHeaders } as const
}

type ReplyClass = 'found' | 'absent' | 'busy' | 'refused' | 'failed'

/** With 410 and 451 the gateway has the block and must not serve it, which is treated as absent. */
function classify({ status, bytes }: HttpReply, speaks: FileSourceConfig['speaks']): ReplyClass {
  if (status === 200) return 'found'
  if (status === 429 || status === 503) return 'busy'
  if (status === 401 || status === 402 || status === 403) return 'refused'
  if (speaks === 'gateway') return [404, 410, 412, 451].includes(status) ? 'absent' : 'failed'
  const isAbsent = /not found|could not find/i.test(Buffer.from(bytes).toString('utf8'))
  return status === 500 && isAbsent ? 'absent' : 'failed'
}
