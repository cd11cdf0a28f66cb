// A Source may have bytes that the store lacks. It only offers them; `content/` verifies them.
import type { ContentKind, ContentRef, FetchContext, UnverifiedItem } from './ref.ts'

/** Bytes without a ref: Cairn computes their hash, which is their name and proves them. */
export type Nameless = {
  readonly kind: Extract<ContentKind, 'header' | 'trie-node' | 'code'>
  readonly bytes: Uint8Array
}

/**
 * `taken`: the requested ref is verified and stored. `wrong`: the bytes offered for it do not match. `missing`: the items did not
 * contain it. Unrequested items are buffered, with a limit, until they are requested (one proof contains many nodes).
 */
export type Offer = (items: readonly (UnverifiedItem | Nameless)[]) => 'taken' | 'wrong' | 'missing'

export type SourceRequest = {
  readonly ref: ContentRef
  /** Fetch context of the first caller. */
  readonly hint: FetchContext
  /** Fetch contexts of all waiting callers, including the first. */
  hints(): readonly FetchContext[]
}

/**
 * Resolves when an offer was `taken` or no more items can be offered; may be called twice for one ref. Rejects if the source could
 * not be reached; a Fault is the final error if no other source has the ref. Stops when `signal` aborts.
 */
export interface Source {
  readonly name: string
  fetch(request: SourceRequest, offer: Offer, signal: AbortSignal): Promise<void>
}
