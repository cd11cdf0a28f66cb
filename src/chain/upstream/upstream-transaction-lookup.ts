// Looks up a transaction hash at upstreams: its location in a block, or its pending bytes. The location is checked against a proved
// list, the bytes against the hash. Absence is never proved, even if all upstreams report it.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { equalBytes, fromHex, toHex, toLatin1 } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { Malformed } from '../../codec/ethereum/rlp.ts'
import { transactionHash, UnsupportedTransaction } from '../../codec/ethereum/transaction.ts'
import { encodeTransactionsJson } from '../../codec/ethereum/transaction-json.ts'
import type { TransactionHint } from '../head.ts'
import { faultOf } from './fault-of.ts'
import { UpstreamError } from './node/upstream-error.ts'

/** The members of an upstream that this module uses. */
export type LookupSource = {
  readonly usable: boolean
  readonly trusted: boolean
  cost(methodClass: 'read'): number
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>
}

export interface UpstreamTransactionLookup {
  /**
   * Locations that upstreams report, until one is correct. If none is, upstreams and the head are queried once more.
   * Throws `no_upstream` if no upstream could be queried, and `unverified` if all locations remain wrong and too few
   * upstreams report that the transaction is in no block.
   */
  locate(hash: Uint8Array, signal: AbortSignal): AsyncIterable<TransactionHint>
  /** The raw bytes of a pending transaction, checked by hash; null if no upstream has it. Throws as above. */
  findPending(hash: Uint8Array, signal: AbortSignal): Promise<Uint8Array | null>
}

/** Upstreams queried for one hash. */
const queriedMax = 4
/** A request looks up a hash at most three times, and clients poll at longer intervals than this. */
const cachedMs = 400
const cachedMax = 1_000
/** Timeout of one upstream's reply. */
const timeoutMs = 10_000

/** The reply of one upstream; null: it does not know the transaction. */
type LookupReply = { readonly hint: TransactionHint | null; readonly json: unknown } | null

/** `reply` undefined: the request failed, or returned `error`. */
type Answer = {
  readonly trusted: boolean
  readonly reply: LookupReply | undefined
  readonly error?: unknown
}

/** Queries the first upstream alone and then the others in parallel, because the first one knows most hashes. */
type CachedLookup = {
  readonly at: number
  /** The locations of the previous lookup were wrong. */
  readonly again: boolean
  readonly first: Promise<readonly Answer[]>
  others: Promise<readonly Answer[]> | null
}

/** Number of untrusted upstreams whose answers establish that a transaction is in no block. */
const absentMin = 2

export function createUpstreamTransactionLookup(parts: {
  readonly network: string
  readonly upstreams: readonly LookupSource[]
  /** Polls upstreams for their heads; ends when they have replied, or after a time limit. */
  readonly catchUp: () => Promise<void>
  readonly clock: Clock
}): UpstreamTransactionLookup {
  const { network, upstreams, catchUp, clock } = parts
  const lookups = new Map<string, CachedLookup>()

  async function query(sources: readonly LookupSource[], hash: string): Promise<readonly Answer[]> {
    const { signal, stop } = patience(clock)
    try {
      const answers = await Promise.allSettled(
        sources.map((one) => one.call('eth_getTransactionByHash', [hash], signal)),
      )
      return answers.map((it, index) => {
        const trusted = sources[index]?.trusted === true
        return it.status === 'fulfilled'
          ? { trusted, reply: parseReply(it.value) }
          : { trusted, reply: undefined, error: it.reason as unknown }
      })
    } finally {
      stop()
    }
  }

  /** Answers as they arrive. Shared by all concurrent lookups of that hash, so no caller's signal ends it. */
  async function* answers(
    hash: Uint8Array,
    again: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly trusted: boolean; readonly reply: LookupReply }> {
    const key = toLatin1(hash)
    const text = toHex(hash)
    const [first, ...others] = upstreams
      .filter(({ usable }) => usable)
      .toSorted((one, other) => one.cost('read') - other.cost('read'))
      .slice(0, queriedMax)
    if (first === undefined) throw unreachable()
    const now = clock.monotonic()
    let lookup = lookups.get(key)
    if (lookup === undefined || now - lookup.at >= cachedMs || (again && !lookup.again)) {
      lookup = { at: now, again, first: query([first], text), others: null }
      remember(key, lookup)
    }
    const firstAnswers = await lookup.first
    yield* firstAnswers.filter(hasReply)
    signal.throwIfAborted()
    lookup.others ??= query(others, text)
    const otherAnswers = await lookup.others
    yield* otherAnswers.filter(hasReply)
    signal.throwIfAborted()
    const all = [...firstAnswers, ...otherAnswers]
    if (!all.some(hasReply)) throw nodeFault(all.map(({ error }) => error)) ?? unreachable()
  }

  /**
   * Each location once. A caller that continues after a location reports it as wrong. Returns the number of wrong
   * locations, and whether enough upstreams report that the transaction is in no block.
   */
  async function* locations(
    hash: Uint8Array,
    again: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<TransactionHint, { readonly wrong: number; readonly isAbsent: boolean }> {
    const reported: TransactionHint[] = []
    let absences = 0
    let isAbsent = false
    for await (const { trusted, reply } of answers(hash, again, signal)) {
      const hint = reply?.hint ?? null
      if (hint === null) {
        absences += 1
        isAbsent ||= trusted || absences >= absentMin || pendingBytes(reply, hash) !== null
      } else if (!reported.some((one) => isSame(one, hint))) {
        reported.push(hint)
        yield hint
      }
    }
    return { wrong: reported.length, isAbsent }
  }

  function remember(key: string, lookup: CachedLookup): void {
    lookups.delete(key)
    const [oldest] = lookups.size >= cachedMax ? lookups.keys() : []
    if (oldest !== undefined) lookups.delete(oldest)
    lookups.set(key, lookup)
  }

  /** A node's own error, returned if no upstream supplied an answer. */
  function nodeFault(errors: readonly unknown[]): Fault | null {
    const error = errors.find((one) => one instanceof UpstreamError && one.isAboutCall)
    const request = { network, method: 'eth_getTransactionByHash' }
    return error instanceof UpstreamError ? faultOf(error, request) : null
  }

  function unreachable(): Fault {
    return new Fault('no_upstream', { detail: `no source reachable for ${network}` })
  }

  return {
    async *locate(hash, signal) {
      const first = yield* locations(hash, false, signal)
      if (first.wrong === 0) return
      // A reorg may have moved the transaction, and an upstream or the head may not have followed yet.
      await catchUp()
      const second = yield* locations(hash, true, signal)
      if (second.wrong === 0 || second.isAbsent) return
      const detail =
        'no source could prove the answer: the place that is named for the transaction is wrong'
      throw new Fault('unverified', { detail })
    },
    async findPending(hash, signal) {
      for await (const { reply } of answers(hash, false, signal)) {
        const raw = pendingBytes(reply, hash)
        if (raw !== null) return raw
      }
      return null
    },
  }
}

function patience(clock: Clock): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const stop = clock.after(timeoutMs, () => controller.abort(new Fault('deadline')))
  return { signal: controller.signal, stop }
}

function hasReply(answer: Answer): answer is Answer & { readonly reply: LookupReply } {
  return answer.reply !== undefined
}

/** The bytes of a transaction that is in no block yet; null if they do not have that hash. */
function pendingBytes(reply: LookupReply, hash: Uint8Array): Uint8Array | null {
  const raw = reply === null || reply.hint !== null ? null : rawOf(reply.json)
  return raw !== null && equalBytes(transactionHash(raw), hash) ? raw : null
}

/** Undefined for a reply that cannot be decoded. */
function parseReply(json: unknown): LookupReply | undefined {
  if (json === null) return null
  if (typeof json !== 'object') return undefined
  const { blockHash, transactionIndex } = json as {
    readonly blockHash?: unknown
    readonly transactionIndex?: unknown
  }
  if (blockHash === null || blockHash === undefined) return { hint: null, json }
  if (typeof blockHash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(blockHash)) return undefined
  if (typeof transactionIndex !== 'string' || !/^0x[0-9a-f]{1,6}$/i.test(transactionIndex)) {
    return undefined
  }
  return { hint: { blockHash: fromHex(blockHash), index: Number(transactionIndex) }, json }
}

function rawOf(json: unknown): Uint8Array | null {
  try {
    return decodeEntries(encodeTransactionsJson([json]))[0] ?? null
  } catch (thrown) {
    if (thrown instanceof Malformed || thrown instanceof UnsupportedTransaction) return null
    throw thrown
  }
}

function isSame(one: TransactionHint, other: TransactionHint): boolean {
  return one.index === other.index && equalBytes(one.blockHash, other.blockHash)
}
