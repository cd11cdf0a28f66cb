// The interface of an upstream node: a name, calls, and statistics about its behaviour. Its replies are not trusted; callers prove
// them.
import type { CallCounts } from './call-history.ts'
import type { Params } from './json-rpc-client.ts'
import type { MethodClass } from './method-policy.ts'
import type { DataKind, HistoryDepths } from './history-depth.ts'
import type { Redact } from './redact.ts'

export type UpstreamOptions = {
  /** Its name in logs and lists; without it, host and port of the URL. */
  readonly name?: string
  /** May contain credentials; never shown. */
  readonly url: string
  /** WebSocket URL for pushed heads, may contain credentials. Absent: derived from `url`; null: heads are polled. */
  readonly wsUrl?: string | null | undefined
  /** The operator's own node: sufficient alone for heads, absence, and answers without a proof. */
  readonly trusted: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Parallel calls. */
  readonly concurrency: number
  /** Null: Cairn applies no limit. */
  readonly requestsPerSecond: number | null
  readonly timeoutMs: number
  readonly replyBytesMax: number
}

export const defaultUpstreamLimits = {
  concurrency: 32,
  requestsPerSecond: null,
  timeoutMs: 10_000,
  replyBytesMax: 64 * 1024 * 1024,
} as const

export type CallOptions = {
  /** Class of the call; absent: that of the method. */
  readonly methodClass?: MethodClass
  /** A probe of Cairn: sent even to a cordoned, quarantined or resting upstream. */
  readonly isProbe?: boolean
}

/** `open`: a breaker is open. `cordoned`: it refuses the account. `wrong-chain`: only its chain ID is requested. */
export type UpstreamState = 'ok' | 'open' | 'quarantined' | 'cordoned' | 'wrong-chain'

export type UpstreamStatus = {
  readonly name: string
  readonly trusted: boolean
  readonly state: UpstreamState
  /**
   * Time until a quarantined or cordoned upstream receives calls again, milliseconds; 0: its replies are compared with those of
   * others first; null: in any other state.
   */
  readonly leftMs: number | null
  /** Median latency of content calls, otherwise of reads, milliseconds; null without a call in the last two minutes. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** Share of successful calls in the last 30 s, for the class with the lowest share. */
  readonly successRate: number
  readonly history: CallCounts
  readonly head: bigint | null
  /** Whether its heads are pushed or polled. */
  readonly heads: 'pushed' | 'polled'
  /** Blocks behind the network's head; null if unknown. */
  readonly lag: number | null
  readonly reach: HistoryDepths
  /** Methods that it reported as unknown. */
  readonly lacks: readonly string[]
  readonly lies: number
}

export type Upstream = {
  readonly name: string
  readonly trusted: boolean
  /** Removes this upstream's secrets from a text. */
  readonly redact: Redact
  /**
   * The `result`, any JSON value. Throws UpstreamError (`not_asked` if nothing was sent), or `signal.reason`. Repeats
   * only reads, on a reused socket that was closed.
   */
  call(method: string, params: Params, signal: AbortSignal, options?: CallOptions): Promise<unknown>
  /** Whether it may receive calls of this class now. False while shut; while `proving`, true only for canaries. */
  mayCall(methodClass: MethodClass): boolean
  /** True if calls of this class are prevented only by a rest after failures. */
  rests(methodClass: MethodClass): boolean
  /** Allows one trial call of the class now, despite a rest after failures, because no other upstream is available. */
  wake(methodClass: MethodClass): void
  /** False while its replies do not count: quarantined, of another chain, closed. */
  readonly usable: boolean
  /** Its quarantine time has passed, and its replies are first compared with others. */
  readonly isProving: boolean
  /** All its connections are busy: new calls are queued. */
  readonly isFull: boolean
  lacks(method: string): boolean
  can(need: DataKind, number: bigint | null): 'yes' | 'no' | 'unknown'
  /**
   * Cost of one call of this class: milliseconds, increased by failures, lag and invalid replies. Smaller is better.
   */
  cost(methodClass: MethodClass): number
  p95Ms(methodClass: MethodClass): number | null
  /** Set by the head follower: its newest block, and its lag behind the network's head in blocks. */
  setLag(blocks: number, head: bigint): void
  /**
   * Calls `onHead` with the hash (32 bytes) of each block that it pushes, one at a time, from now until `close`; never
   * if it pushes none. Call it once.
   */
  watchHeads(onHead: (hash: Uint8Array) => Promise<void>): void
  /** Heads are currently pushed. */
  readonly isPushing: boolean
  setHistoryDepths(reaches: Partial<HistoryDepths>): void
  /** Sets the chain ID that a probe found. */
  setChainId(found: bigint): void
  /** Requests its chain ID again. Throws UpstreamError if that is another one or unknown. */
  confirmChain(signal: AbortSignal): Promise<void>
  /** Reports that it lacks this data of that block. */
  cannot(need: DataKind, number: bigint): void
  /** Reports a reply without the requested content, which another upstream supplied: counts as failed. */
  disappoint(methodClass: MethodClass): void
  /** Reports a proved reply. */
  prove(): void
  /** Reports a reply that contradicted a hash. `isShut`: quarantine the upstream. */
  reportInvalidReply(isShut: boolean): void
  status(): UpstreamStatus
  close(): Promise<void>
}
