// Single entries of the lists a block commits to, read without the lists.
import type { ProvedHeader } from './proved-memory.ts'

export type EntryKind = 'transactions' | 'receipts'

/** Reads entries that were proved one by one. Throws like the reader of the whole list. */
export interface EntryReader {
  /** The raw entry; null past the proved end of the list. */
  at(
    block: ProvedHeader,
    kind: EntryKind,
    index: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | null>
  count(block: ProvedHeader, kind: EntryKind, signal: AbortSignal): Promise<number>
}
