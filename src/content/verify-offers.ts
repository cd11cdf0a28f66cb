// What one source offers for one ref, judged by hash as it comes.
// Tested by src/content/obtain.test.ts
import { hasCode } from '../base/fault.ts'
import type { LocalCopies } from './local-copies.ts'
import { watchAll } from './read-trace.ts'
import {
  isSameRef,
  type ContentRef,
  type FetchContext,
  type UnverifiedItem,
  type NameOf,
} from './ref.ts'
import type { Nameless, Offer } from './source.ts'

/** What came of all offers up to now. */
export type Received = {
  /** Verified, once there are any. */
  readonly bytes: Uint8Array | null
  readonly lied: boolean
}

/** `hints`: of all who wait for it. */
export function verifyOffers(
  ref: ContentRef,
  source: string,
  hints: () => readonly FetchContext[],
  parts: { readonly copies: LocalCopies; readonly nameOf: NameOf | undefined },
): { readonly offer: Offer; readonly received: Received } {
  const { copies, nameOf } = parts
  const received: { -readonly [Member in keyof Received]: Received[Member] } = {
    bytes: null,
    lied: false,
  }

  /** The name that its bytes give; null for what is not well formed. */
  function nameOrNull({ kind, bytes }: Nameless): ContentRef | null {
    try {
      return nameOf === undefined ? null : { kind, hash: nameOf(kind, bytes) }
    } catch (thrown) {
      if (hasCode(thrown, 'unverified')) return null
      throw thrown
    }
  }

  function judge(offered: readonly (UnverifiedItem | Nameless)[]): ReturnType<Offer> {
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
    // Another source, or another reply of this one, may have brought it meanwhile.
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
      if (offered.length === 0) return judge(offered)
      const judged = watchAll(hints(), 'verify', '')
      const outcome = judge(offered)
      judged(outcome)
      return outcome
    },
  }
}
