// Remote half of `obtain`: requests content that is not local from one source after another, until one delivers it.
// Tested by src/content/obtain.test.ts
import { Fault, hasCode } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { LocalCopies } from './local-copies.ts'
import type { CountObtain } from './obtain-limits.ts'
import { watchAll } from './read-trace.ts'
import {
  isSameRef,
  refKey,
  type ContentRef,
  type FetchContext,
  type NameOf,
  type UnverifiedItem,
} from './ref.ts'
import type { Nameless, Offer, Source } from './source.ts'

export type QuerySources = {
  /** Sources for this fetch context, in the order of use. */
  readonly sourcesFor: (hint: FetchContext) => readonly Source[]
  /** Without it nameless bytes are not taken. */
  readonly nameOf: NameOf | undefined
  readonly copies: LocalCopies
  readonly log: Log
  readonly count: CountObtain
}

/**
 * Verified and accepted. `hints`: fetch contexts of all waiting callers. Throws `not_found`, `unverified`, `no_upstream`,
 * the Fault of a source, or the reason of `signal`.
 */
export async function querySources(
  { sourcesFor, nameOf, copies, log, count }: QuerySources,
  ref: ContentRef,
  hint: FetchContext,
  hints: () => readonly FetchContext[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  let lied = false
  let failure: { readonly error: unknown } | null = null
  for (const source of sourcesFor(hint)) {
    signal.throwIfAborted()
    const { offer, received } = verifyOffers(ref, source.name, hints, { copies, nameOf })
    try {
      await source.fetch({ ref, hint, hints }, offer, signal)
      if (received.bytes !== null) return received.bytes
      if (!received.lied) count('absent', source.name)
    } catch (error) {
      if (received.bytes !== null) return received.bytes
      signal.throwIfAborted()
      count('failed', source.name)
      // A Fault of a source is for the caller; any other error is for the operator.
      const level = hasCode(error, 'unprovable') ? 'debug' : 'warn'
      log(level, 'source_failed', { source: source.name, ref: refKey(ref), error })
      failure ??= { error }
    }
    lied ||= received.lied
  }
  // The source's own reason is more precise.
  if (lied && failure !== null && hasCode(failure.error, 'unverified')) throw failure.error
  if (lied) throw new Fault('unverified')
  // An unreachable source may have it: a broken connection is not evidence of absence.
  if (failure !== null) throw asFault(failure.error)
  throw new Fault('not_found')
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('no_upstream', { cause: error })
}

/** What came of all offers up to now. */
type Received = {
  /** Verified, once there are any. */
  readonly bytes: Uint8Array | null
  readonly lied: boolean
}

/** The offers of one source for one ref, verified by hash on arrival. `hints`: fetch contexts of all waiting callers. */
function verifyOffers(
  ref: ContentRef,
  source: string,
  hints: () => readonly FetchContext[],
  { copies, nameOf }: Pick<QuerySources, 'copies' | 'nameOf'>,
): { readonly offer: Offer; readonly received: Received } {
  const received: { -readonly [Member in keyof Received]: Received[Member] } = {
    bytes: null,
    lied: false,
  }

  /** The ref that the bytes hash to; null if they are malformed. */
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
      const own = isClaim ? item.ref : nameOrNull(item)
      if (own === null) continue
      if (!isSameRef(own, ref)) copies.addExtras(source, [{ ref: own, bytes }], !isClaim)
      else if (isClaim) claims.push(bytes)
      else proved ??= bytes
    }
    // Another source, or another reply of this one, may have delivered it meanwhile.
    received.bytes ??= copies.findInMemory(ref)
    if (received.bytes !== null) return 'taken'
    if (proved !== null && copies.accept(ref, proved, source, true)) received.bytes = proved
    else received.bytes = claims.find((bytes) => copies.accept(ref, bytes, source, false)) ?? null
    if (received.bytes !== null) return 'taken'
    if (claims.length === 0) return 'missing'
    received.lied = true
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
