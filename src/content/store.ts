// The Store keeps bytes by ContentRef. Every implementation runs test/suites/store.suite.ts.
import type { Statement } from '../db/writer.ts'
import type { ContentRef, Item } from './ref.ts'

/**
 * Who verifies: the caller, before (`keep`, `commit`) and after (`obtain`); a Store never judges bytes.
 * Order: what `commit` resolved is readable at once by every method of the same Store.
 */
export interface Store {
  /** The stored bytes, or null. Bytes of an open or discarded Batch are never returned. */
  find(ref: ContentRef): Uint8Array | null
  has(ref: ContentRef): boolean
  /**
   * All items and all rows, or nothing; durable when it resolves. An item that is already there is left
   * as it is. Throws `no_space` when the device or the configured size is full; nothing is kept then.
   */
  commit(items: readonly Item[], rows?: readonly Statement[]): Promise<readonly number[]>
  /** Opens a Batch for content that is too large to be held in memory at once. */
  batch(): Batch
  /** Forgets a copy that failed verification. */
  drop(ref: ContentRef): Promise<void>
}

/** Content on its way in: on disk as it arrives, invisible until `commit`, gone after a crash. */
export interface Batch {
  /** Resolves when the bytes have left memory; the caller waits for it (back-pressure). */
  put(items: readonly Item[]): Promise<void>
  /** Makes everything put so far visible together with `rows`, atomically and durably. Once. */
  commit(rows?: readonly Statement[]): Promise<readonly number[]>
  /** Drops everything. Safe to call at any time, also after a failure; no effect after `commit`. */
  discard(): Promise<void>
}
