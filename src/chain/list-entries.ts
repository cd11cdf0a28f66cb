// Single entries of the lists that a block commits to, and the number of entries: from the whole list, or through
// `Network.entries` if only some entries are available.
// Tested by src/rpc/methods/state/golden.test.ts
import { decodeEntries, entryAt } from '../codec/ethereum/list.ts'
import { type ProvedHeader, readReceiptList, readTransactionList } from './blocks.ts'
import type { EntryKind } from './entry-reader.ts'
import type { Network } from './network.ts'
import { fetched, type Read } from './read.ts'

/** The list as stored: one RLP list. Throws `pruned` if no source has it. */
export function readList(network: Network, block: ProvedHeader, kind: EntryKind): Read<Uint8Array> {
  return kind === 'transactions'
    ? readTransactionList(network, block)
    : readReceiptList(network, block)
}

/** The raw entry at `index`, or null past the end. Throws `pruned`. */
export function* readEntry(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  index: number,
): Read<Uint8Array | null> {
  const { entries } = network
  if (entries === undefined) return entryAt(yield* readList(network, block, kind), index)
  return yield* fetched((signal) => entries.at(block, kind, index, signal))
}

/** The raw entries 0 to `last`, or to the end of a shorter list. Throws `pruned`. */
export function* readEntriesTo(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  last: number,
): Read<readonly Uint8Array[]> {
  if (network.entries === undefined) {
    return decodeEntries(yield* readList(network, block, kind)).slice(0, last + 1)
  }
  const read: Uint8Array[] = []
  while (read.length <= last) {
    const entry = yield* readEntry(network, block, kind, read.length)
    if (entry === null) break
    read.push(entry)
  }
  return read
}

/** Number of entries in the list. Throws `pruned`. */
export function* countEntries(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
): Read<number> {
  const { entries } = network
  if (entries === undefined) return decodeEntries(yield* readList(network, block, kind)).length
  return yield* fetched((signal) => entries.count(block, kind, signal))
}
