// Returns verified content by reference: memory, then store, then sources. Bytes from any origin, be it a source, the disk
// or an earlier fetch, are verified before they leave `content/`.
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { Fault, hasCode } from '../base/fault.ts'
import { createSingleFlight } from '../base/single-flight.ts'
import type { Log } from '../base/log.ts'
import { querySources } from './query-sources.ts'
import { createLocalCopies } from './local-copies.ts'
import { type CountObtain, type ObtainLimits, defaultObtainLimits } from './obtain-limits.ts'
import {
  refKey,
  type ContentRef,
  type Peek,
  type PeekNode,
  type FetchContext,
  type NameOf,
  type Obtain,
  type Verify,
} from './ref.ts'
import type { Source } from './source.ts'
import type { BlockStore } from './block-store.ts'

export type ObtainParts = {
  readonly store: BlockStore
  /** Sources for this fetch context, in the order of use. */
  readonly sourcesFor: (context: FetchContext) => readonly Source[]
  readonly verify: Verify
  /** Without it nameless bytes are not taken. */
  readonly nameOf?: NameOf
  readonly clock: Clock
  readonly log: Log
  readonly count: CountObtain
  readonly limits?: ObtainLimits
}

export type Obtaining = {
  /**
   * As `Obtain`; also `no_upstream` if no source has it and one could not be reached, `internal` if no source has it
   * and the store could not read.
   */
  readonly obtain: Obtain
  readonly peek: Peek
  readonly peekNode: PeekNode
  /** Verifies and keeps, durable when it resolves. Throws `unverified`, `no_space`. */
  readonly keep: (ref: ContentRef, bytes: Uint8Array) => Promise<void>
  /** Resolves when all fetched content is stored; for the end of a process, and for tests. */
  readonly idle: () => Promise<void>
}

export function createObtain(parts: ObtainParts): Obtaining {
  const { store, sourcesFor, verify, nameOf, clock, log, count } = parts
  const { limits = defaultObtainLimits } = parts
  const copies = createLocalCopies({ store, verify, clock, log, count, limits })
  const asking = { sourcesFor, nameOf, copies, log, count }
  const singleFlight = createSingleFlight<Uint8Array>({ keysMax: limits.flightsMax })
  /** Fetch contexts of the waiting callers, by `flightKey`. */
  const waiting = new Map<string, FetchContext[]>()

  async function obtain(
    ref: ContentRef,
    context: FetchContext,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    signal.throwIfAborted()
    const looked = context.watch?.('store', '')
    const found = copies.find(ref)
    const held = found instanceof Promise ? await found : found
    looked?.(held instanceof Uint8Array ? 'held' : 'absent')
    if (held instanceof Uint8Array) return held
    try {
      return await obtainElsewhere(ref, context, signal)
    } catch (thrown) {
      // A copy that cannot be read exists: it must not be reported as absent.
      if (held === null || !hasCode(thrown, 'not_found')) throw thrown
      throw new Fault('damaged', { cause: held.unread })
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
    const contexts = waiting.get(key) ?? []
    const work = (shared: AbortSignal): Promise<Uint8Array> =>
      querySources(asking, ref, context, () => waiting.get(key) ?? [context], shared)
    contexts.push(context)
    waiting.set(key, contexts)
    try {
      if (context.patienceMs === undefined) return await singleFlight.join(key, signal, work)
      using deadline = withDeadline(signal, context.patienceMs, clock)
      return await singleFlight.join(key, deadline.signal, work)
    } finally {
      contexts.splice(contexts.indexOf(context), 1)
      if (contexts.length === 0) waiting.delete(key)
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

/** Two networks may share content, but not sources. */
function flightKey(ref: ContentRef, { network = '' }: FetchContext): string {
  return `${network} ${refKey(ref)}`
}
