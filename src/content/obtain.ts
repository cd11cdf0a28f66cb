// Returns verified content by reference: tries memory, then the store, then sources, one after another, until one has it. Bytes of
// any origin, whether a source, the disk or an earlier fetch, are verified before they leave `content/`.
import { Fault, hasCode } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { type LocalCopies, createLocalCopies } from './local-copies.ts'
import { type CountObtain, type ObtainLimits, defaultObtainLimits } from './obtain-limits.ts'
import {
  type ContentRef,
  type FetchContext,
  type NameOf,
  type Obtain,
  type Peek,
  type PeekNode,
  type UnverifiedItem,
  type Verify,
  isSameRef,
  refKey,
  watchAll,
} from './ref.ts'
import type { Nameless, Offer, Source } from './source.ts'
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { createSingleFlight } from '../base/single-flight.ts'
import type { BlockStore } from './block-store.ts'

export type ObtainParts = {
  readonly store: BlockStore
  /** Sources for this fetch context, in the order of use. */
  readonly sourcesFor: (context: FetchContext) => readonly Source[]
  readonly verify: Verify
  /** Without it, items without a name are ignored. */
  readonly nameOf?: NameOf
  readonly clock: Clock
  readonly log: Log
  readonly count: CountObtain
  readonly limits?: ObtainLimits
}

export type Obtainer = {
  /**
   * As `Obtain`; also throws `no_upstream` if no source has it and one could not be reached, `internal` if no source has it and the
   * store could not be read.
   */
  readonly obtain: Obtain
  readonly peek: Peek
  readonly peekNode: PeekNode
  /** Verifies and stores content; durable when it resolves. Throws `unverified`, `no_space`. */
  readonly keep: (ref: ContentRef, bytes: Uint8Array) => Promise<void>
  /** Resolves when all fetched content is stored; for shutdown, and for tests. */
  readonly idle: () => Promise<void>
}

export function createObtain(parts: ObtainParts): Obtainer {
  const { store, sourcesFor, verify, nameOf, clock, log, count } = parts
  const { limits = defaultObtainLimits } = parts
  const copies = createLocalCopies({ store, verify, clock, log, count, limits })
  const queryParts = { sourcesFor, nameOf, copies, log, count }
  const singleFlight = createSingleFlight<Uint8Array>({ keysMax: limits.flightsMax })
  /** Fetch contexts of the waiting callers, by `flightKey`. */
  const contextsByKey = new Map<string, FetchContext[]>()

  async function obtain(
    ref: ContentRef,
    context: FetchContext,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    signal.throwIfAborted()
    const endLookup = context.watch?.('store', '')
    const found = copies.find(ref)
    const stored = found instanceof Promise ? await found : found
    endLookup?.(stored instanceof Uint8Array ? 'held' : 'absent')
    if (stored instanceof Uint8Array) return stored
    try {
      return await obtainElsewhere(ref, context, signal)
    } catch (thrown) {
      // An unreadable copy exists, so it must not be reported as absent.
      if (stored === null || !hasCode(thrown, 'not_found')) throw thrown
      // The machine that stores the copy cannot be reached now.
      if (hasCode(stored.unread, 'overloaded')) throw stored.unread
      throw new Fault('damaged', { cause: stored.unread })
    }
  }

  /** Concurrent callers share one fetch, which uses the fetch contexts of all of them. */
  async function obtainElsewhere(
    ref: ContentRef,
    context: FetchContext,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (context.offline === true) throw new Fault('not_found')
    const key = flightKey(ref, context)
    const contexts = contextsByKey.get(key) ?? []
    const work = (shared: AbortSignal): Promise<Uint8Array> =>
      querySources(queryParts, ref, context, () => contextsByKey.get(key) ?? [context], shared)
    contexts.push(context)
    contextsByKey.set(key, contexts)
    try {
      if (context.patienceMs === undefined) return await singleFlight.join(key, signal, work)
      using deadline = withDeadline(signal, context.patienceMs, clock)
      return await singleFlight.join(key, deadline.signal, work)
    } finally {
      contexts.splice(contexts.indexOf(context), 1)
      if (contexts.length === 0) contextsByKey.delete(key)
    }
  }

  return {
    obtain,
    peek: copies.peek,
    peekNode: copies.peekNode,
    async keep(ref, bytes) {
      verify(ref, bytes)
      await store.put([{ ref, bytes }])
    },
    idle: copies.idle,
  }
}

/** Two networks may share content, but not sources. A read that may search the IPFS network has an additional source. */
function flightKey(ref: ContentRef, { network = '', session }: FetchContext): string {
  return `${session === undefined ? network : 'ipfs'} ${refKey(ref)}`
}

type QuerySources = {
  /** Sources for this fetch context, in the order of use. */
  readonly sourcesFor: (hint: FetchContext) => readonly Source[]
  /** Without it, items without a name are ignored. */
  readonly nameOf: NameOf | undefined
  readonly copies: LocalCopies
  readonly log: Log
  readonly count: CountObtain
}

/**
 * Queries the sources and accepts verified bytes. `hints`: fetch contexts of all waiting callers. Throws `not_found`, `unverified`,
 * `no_upstream`, the Fault of a source, or the reason of `signal`.
 */
async function querySources(
  { sourcesFor, nameOf, copies, log, count }: QuerySources,
  ref: ContentRef,
  hint: FetchContext,
  hints: () => readonly FetchContext[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  let hasInvalidReply = false
  let failure: { readonly error: unknown } | null = null
  for (const source of sourcesFor(hint)) {
    signal.throwIfAborted()
    const { offer, received } = verifyOffers(ref, source.name, hints, { copies, nameOf })
    try {
      await source.fetch({ ref, hint, hints }, offer, signal)
      if (received.bytes !== null) return received.bytes
      if (!received.invalidReply) count('absent', source.name)
    } catch (error) {
      if (received.bytes !== null) return received.bytes
      signal.throwIfAborted()
      count('failed', source.name)
      // The caller receives a source's Fault; any other error is logged for the operator.
      const level = hasCode(error, 'unprovable') ? 'debug' : 'warn'
      log(level, 'source_failed', { source: source.name, ref: refKey(ref), error })
      failure ??= { error }
    }
    hasInvalidReply ||= received.invalidReply
  }
  // The source's own reason is more precise.
  if (hasInvalidReply && failure !== null && hasCode(failure.error, 'unverified'))
    throw failure.error
  if (hasInvalidReply) throw new Fault('unverified')
  // An unreachable source may have it: a failed connection does not prove absence.
  if (failure !== null) throw asFault(failure.error)
  throw new Fault('not_found')
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('no_upstream', { cause: error })
}

/** The result of all offers so far. */
type Received = {
  /** Verified bytes; null: none yet. */
  readonly bytes: Uint8Array | null
  readonly invalidReply: boolean
}

/** Verifies the offers of one source for one ref by hash, as they arrive. `hints`: fetch contexts of all waiting callers. */
function verifyOffers(
  ref: ContentRef,
  source: string,
  hints: () => readonly FetchContext[],
  { copies, nameOf }: Pick<QuerySources, 'copies' | 'nameOf'>,
): { readonly offer: Offer; readonly received: Received } {
  const received: { -readonly [Member in keyof Received]: Received[Member] } = {
    bytes: null,
    invalidReply: false,
  }

  /** The ref computed from the bytes; null if they are malformed. */
  function nameOrNull({ kind, bytes }: Nameless): ContentRef | null {
    try {
      return nameOf === undefined ? null : { kind, hash: nameOf(kind, bytes) }
    } catch (thrown) {
      if (hasCode(thrown, 'unverified')) return null
      throw thrown
    }
  }

  function check(offered: readonly (UnverifiedItem | Nameless)[]): ReturnType<Offer> {
    let proved: Uint8Array | null = null
    const claims: Uint8Array[] = []
    for (const item of offered) {
      const isClaim = 'ref' in item
      const { bytes } = item
      const itemRef = isClaim ? item.ref : nameOrNull(item)
      if (itemRef === null) continue
      if (!isSameRef(itemRef, ref))
        copies.addUnrequested(source, [{ ref: itemRef, bytes }], !isClaim)
      else if (isClaim) claims.push(bytes)
      else proved ??= bytes
    }
    // Another source, or another reply of this one, may have delivered it in the meantime.
    received.bytes ??= copies.findInMemory(ref)
    if (received.bytes !== null) return 'taken'
    if (proved !== null && copies.accept(ref, proved, source, true)) received.bytes = proved
    else received.bytes = claims.find((bytes) => copies.accept(ref, bytes, source, false)) ?? null
    if (received.bytes !== null) return 'taken'
    if (claims.length === 0) return 'missing'
    received.invalidReply = true
    return 'wrong'
  }

  return {
    received,
    offer(offered) {
      if (offered.length === 0) return check(offered)
      const endStep = watchAll(hints(), 'verify', '')
      const outcome = check(offered)
      endStep(outcome)
      return outcome
    },
  }
}
