// A Source may have bytes that the store lacks. It only offers them: what they are is judged in this folder.
import type { ContentKind, ContentRef, FetchContext, UnverifiedItem } from './ref.ts'

/** Bytes without a name: they are named, and so proved, by hashing them here. */
export type Nameless = {
  readonly kind: Extract<ContentKind, 'header' | 'trie-node' | 'code'>
  readonly bytes: Uint8Array
}

/**
 * `taken`: the ref that was asked for is here, verified. `wrong`: bytes under its name are not it. `missing`: it
 * was not among them. What nobody asked for waits, bounded, until somebody does (one proof brings many nodes).
 */
export type Offer = (items: readonly (UnverifiedItem | Nameless)[]) => 'taken' | 'wrong' | 'missing'

export type Asked = {
  readonly ref: ContentRef
  /** Of the caller who came first. */
  readonly hint: FetchContext
  /** Of all who wait for this ref now, the first included. */
  hints(): readonly FetchContext[]
}

/**
 * Ends when an offer was `taken` or it has nothing more to offer; may be asked twice for one ref. Rejects when
 * it could not be asked; a Fault it rejects with is the answer when no other source has the ref. Stops when
 * `signal` aborts.
 */
export interface Source {
  readonly name: string
  fetch(asked: Asked, offer: Offer, signal: AbortSignal): Promise<void>
}
