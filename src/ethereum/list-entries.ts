// Single entries of the lists a block commits to, and how many there are: out of the whole list, or from where
// only some entries are at hand (`Network.entries`).
// Tested by src/gateway/operations/rpc/state/golden.test.ts
import { decodeEntries, entryAt } from '../codec/list.ts'
import { type ProvedHeader, readReceiptList, readTransactionList } from './blocks.ts'
import type { EntryKind } from './entry-reader.ts'
import type { Network } from './network.ts'

/** The list as kept: one RLP list. Throws `pruned` when nobody has it. */
export function readList(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return kind === 'transactions'
    ? readTransactionList(network, block, signal)
    : readReceiptList(network, block, signal)
}

/** The raw entry at `index`, or null past the end. Throws `pruned`. */
export async function readEntry(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  index: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const { entries } = network
  if (entries !== undefined) return await entries.at(block, kind, index, signal)
  return entryAt(await readList(network, block, kind, signal), index)
}

/** The raw entries 0 to `last`, or to the end of a shorter list. Throws `pruned`. */
export async function readEntriesTo(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  last: number,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const { entries } = network
  if (entries === undefined) {
    return decodeEntries(await readList(network, block, kind, signal)).slice(0, last + 1)
  }
  const read: Uint8Array[] = []
  while (read.length <= last) {
    const entry = await entries.at(block, kind, read.length, signal)
    if (entry === null) break
    read.push(entry)
  }
  return read
}

/** How many entries the list has. Throws `pruned`. */
export async function countEntries(
  network: Network,
  block: ProvedHeader,
  kind: EntryKind,
  signal: AbortSignal,
): Promise<number> {
  const { entries } = network
  if (entries !== undefined) return await entries.count(block, kind, signal)
  return decodeEntries(await readList(network, block, kind, signal)).length
}
