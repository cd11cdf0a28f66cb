// The root of a trie over a list: key = RLP(index), not hashed, value = the raw entry. Headers commit to
// transactions, receipts and withdrawals in this form.
import { encodeInteger, encodeRlp } from './rlp.ts'
import { trieRoot } from './trie-build.ts'

/** `entries`: as `decodeEntries` gives them. No entries give `emptyTrieRoot`. */
export function orderedRoot(entries: readonly Uint8Array[]): Uint8Array {
  return trieRoot(entries.map((entry, index) => [orderedKey(index), entry] as const))
}

/** Not prefixes of each other, so a proof of one entry follows the rules of any other trie. */
export function orderedKey(index: number): Uint8Array {
  // What most lists need, spelled out: a list of 200 has 200 keys to make.
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  return encodeRlp(encodeInteger(index))
}
