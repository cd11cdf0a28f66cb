// Reads single entries of the lists that a block commits to, without reading the whole list.
import type { ProvedHeader } from './proved-memory.ts'

export type EntryKind = 'transactions' | 'receipts'

/** Reads entries that are proved individually. Throws like the reader of the whole list. */
export interface EntryReader {
  /** The raw entry; null if the list is proved to end before it. */
  at(
    block: ProvedHeader,
    kind: EntryKind,
    index: number,
    signal: AbortSignal,
  ): Promise<Uint8Array | null>
  count(block: ProvedHeader, kind: EntryKind, signal: AbortSignal): Promise<number>
}
