// What an upstream node is to the rest: a name, calls, and how it has behaved. What it says is never believed here;
// callers prove it.
import type { Params } from './json-rpc-client.ts'
import type { MethodClass } from './method-class.ts'
import type { DataKind, HistoryDepths } from './history-depth.ts'
import type { Redact } from './redact.ts'

export type UpstreamOptions = {
  /** How it is called in logs and lists; without it, host and port of the URL. */
  readonly name?: string
  /** May hold credentials; never shown. */
  readonly url: string
  /** Where it pushes heads: ws or wss, may hold credentials. Not given: where `url` is; null: its heads are polled. */
  readonly wsUrl?: string | null | undefined
  /** The operator's own node: its word alone counts for heads, absence, and what cannot be proved. */
  readonly trusted: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Calls at once. */
  readonly concurrency: number
  /** Null: no limit of ours. */
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
  /** How it may be treated; without it, as the method is listed. */
  readonly methodClass?: MethodClass
  /** Ours, to find out how it is: sent though it is cordoned, quarantined or resting. */
  readonly isProbe?: boolean
}

/** `open`: a breaker rests. `cordoned`: it refuses our account. `wrong-chain`: asked which it is on, no more. */
export type UpstreamState = 'ok' | 'open' | 'quarantined' | 'cordoned' | 'wrong-chain'

export type UpstreamStatus = {
  readonly name: string
  readonly trusted: boolean
  readonly state: UpstreamState
  /** Of content calls, else of reads, milliseconds; null without a call in the last two minutes. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** Share of calls of the last 30 s that went well, of its worst class. */
  readonly successRate: number
  readonly head: bigint | null
  /** Does it push its heads, or are they polled? */
  readonly heads: 'pushed' | 'polled'
  /** Blocks behind the network's head; null when nobody said. */
  readonly lag: number | null
  readonly reach: HistoryDepths
  /** Methods it said it does not know. */
  readonly lacks: readonly string[]
  readonly lies: number
}

export type Upstream = {
  readonly name: string
  readonly trusted: boolean
  /** Takes this upstream's secrets out of a text. */
  readonly redact: Redact
  /**
   * The `result`, any JSON value. Throws UpstreamError (`not_asked` when nothing was sent), or `signal.reason`.
   * Retries nothing but a reused socket that was closed, and that for reads only.
   */
  call(method: string, params: Params, signal: AbortSignal, options?: CallOptions): Promise<unknown>
  /** May it be chosen for a call of this class now? Not while shut, and as a canary only when `proving`. */
  mayCall(methodClass: MethodClass): boolean
  /** Nothing but a rest of this class keeps it from being called. */
  rests(methodClass: MethodClass): boolean
  /** Lets one call of the class try now, though it rests after failures: nobody else is left. */
  wake(methodClass: MethodClass): void
  /** False while nothing it says counts: quarantined, of another chain, closed. */
  readonly usable: boolean
  /** Its quarantine is over, and what it says is checked against others first. */
  readonly isProving: boolean
  /** All its places are taken: what is sent now waits in line. */
  readonly isFull: boolean
  lacks(method: string): boolean
  can(need: DataKind, number: bigint | null): 'yes' | 'no' | 'unknown'
  /** What one call of this class costs, in milliseconds made longer by failures, lag and lies. Smaller is better. */
  cost(methodClass: MethodClass): number
  p95Ms(methodClass: MethodClass): number | null
  /** The head follower's word: its newest block, and how many blocks that is behind the network's head. */
  setLag(blocks: number, head: bigint): void
  /**
   * Calls `onHead` with the hash (32 bytes) of each block that it pushes, one at a time, from now until `close`; where it
   * pushes none, never. Once.
   */
  watchHeads(onHead: (hash: Uint8Array) => Promise<void>): void
  /** Heads are pushed at this time. */
  readonly isPushing: boolean
  tellReach(reaches: Partial<HistoryDepths>): void
  /** The chain id that it was found to serve. */
  tellChain(found: bigint): void
  /** Asks it once more which chain it is on. Throws UpstreamError when that is another, or it does not say. */
  confirmChain(signal: AbortSignal): Promise<void>
  /** It does not have this of that block. */
  cannot(need: DataKind, number: bigint): void
  /** What it gave was not what was asked for, and another upstream gave that: it counts as failed. */
  disappoint(methodClass: MethodClass): void
  /** One answer of it was proved. */
  prove(): void
  /** One answer of it contradicted a hash. `isShut`: into quarantine. */
  lie(isShut: boolean): void
  status(): UpstreamStatus
  close(): Promise<void>
}
