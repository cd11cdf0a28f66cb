// A Source may have bytes that the store lacks. Wrappers (retry, limit, count) are Source => Source.
import type { ContentRef, Hint, Item } from './ref.ts'

/**
 * Verifies nothing and retries nothing; may be asked twice for one ref. Returns whatever it has for the
 * ref, possibly more items (one proof brings many nodes), or an empty list when it has none. Rejects when
 * it could not be asked. Stops when `signal` aborts.
 */
export interface Source {
  readonly name: string
  fetch(ref: ContentRef, hint: Hint, signal: AbortSignal): Promise<readonly Item[]>
}
