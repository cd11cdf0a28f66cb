// The second half of the core: what is not here is asked of sources, one after the other, until one brought it.
// Tested by src/content/obtain.test.ts
import { Fault, hasCode } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import { verifyOffers } from './verify-offers.ts'
import type { LocalCopies } from './local-copies.ts'
import type { CountObtain } from './obtain-event.ts'
import { refKey, type ContentRef, type FetchContext, type NameOf } from './ref.ts'
import type { Source } from './source.ts'

export type QuerySources = {
  /** Who may be asked with this hint, in this order. */
  readonly sourcesFor: (hint: FetchContext) => readonly Source[]
  /** Without it nameless bytes are not taken. */
  readonly nameOf: NameOf | undefined
  readonly copies: LocalCopies
  readonly log: Log
  readonly count: CountObtain
}

/**
 * Verified and accepted. `hints`: of all who wait for it. Throws `not_found`, `unverified`, `no_upstream`, what a source
 * chose to say, or why `signal` aborted.
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
      // What a source chose to say is for the caller; anything else is for the operator.
      const level = hasCode(error, 'unprovable') ? 'debug' : 'warn'
      log(level, 'source_failed', { source: source.name, ref: refKey(ref), error })
      failure ??= { error }
    }
    lied ||= received.lied
  }
  // A source that says what was wrong says it better.
  if (lied && failure !== null && hasCode(failure.error, 'unverified')) throw failure.error
  if (lied) throw new Fault('unverified')
  // Who could not be asked may have it: absence must not be concluded from a broken connection.
  if (failure !== null) throw asFault(failure.error)
  throw new Fault('not_found')
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('no_upstream', { cause: error })
}
