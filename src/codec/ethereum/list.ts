// A block's list of transactions, receipts or withdrawals, in the form used in the block and in the store: legacy entries and
// withdrawals are lists, typed entries (EIP-2718) are strings.
import { Malformed, decodeRlp, endOfItem, listStart, splitList } from './rlp.ts'
import { headLength, RlpWriter } from './rlp-writer.ts'

/** Maximum entries in one list. Ethereum's largest blocks have some thousands. */
export const entriesMax = 100_000

/**
 * The raw entries as views: a legacy entry is its RLP list, a typed one `type || payload`. Entries are the values of the ordered
 * trie; their content is not validated. Throws `Malformed`.
 */
export function decodeEntries(bytes: Uint8Array): Uint8Array[] {
  return splitList(bytes, entriesMax).map((item) =>
    (item[0] ?? 0) >= 0xc0 ? item : typedEntry(item),
  )
}

/** Same as `decodeEntries(bytes)[index]`, without decoding the others; null past the end. Throws `Malformed`. */
export function entryAt(bytes: Uint8Array, index: number): Uint8Array | null {
  let at = listStart(bytes)
  for (let passed = 0; at < bytes.length; passed += 1) {
    const end = endOfItem(bytes, at)
    if (passed === index) {
      const item = bytes.subarray(at, end)
      return (item[0] ?? 0) >= 0xc0 ? item : typedEntry(item)
    }
    at = end
  }
  return null
}

/** The reverse of `decodeEntries`. Throws `Malformed` for an invalid entry. */
export function encodeEntries(entries: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const { 0: first = 0, length: own } of entries) {
    length += own + (first >= 0xc0 ? 0 : headLength(own))
  }
  // Lists of receipts may have many megabytes: with the exact length, the writer neither grows nor copies.
  const writer = new RlpWriter(headLength(length) + length)
  for (const entry of entries.toReversed()) {
    const first = entry[0]
    if (first === undefined || (first >= 0x80 && first < 0xc0)) throw notAnEntry()
    if (first >= 0xc0) writer.raw(entry)
    else writer.string(entry)
  }
  writer.closeList(0)
  return writer.finish()
}

function typedEntry(item: Uint8Array): Uint8Array {
  const entry = decodeRlp(item)
  // A list wrapped as a string would be a second encoding of the same entry, and so of the same root.
  if (!(entry instanceof Uint8Array) || (entry[0] ?? 0x80) >= 0x80) throw notAnEntry()
  return entry
}

function notAnEntry(): Malformed {
  return new Malformed('an entry that is a list or starts with a type below 0x80')
}
