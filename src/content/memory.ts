// Verified bytes in memory, bounded in bytes. Two generations instead of a list of last uses: a hit costs one
// look-up, and what was used since the last turn survives the next one.
import { toLatin1 } from '../base/hex.ts'
import type { ContentKind, ContentRef } from './ref.ts'

export interface Memory {
  /** The array that was added, not a copy: readers must not write to it. */
  find(ref: ContentRef): Uint8Array | null
  /** `bytes` were verified by the caller. What is larger than a 64th of the bound is not taken. */
  add(ref: ContentRef, bytes: Uint8Array): void
  forget(ref: ContentRef): void
}

/** What an entry costs beside its bytes: key, map slot, array. Measured on V8 13. */
const entryBytes = 400
const largestShare = 64

/** Holds at most `bytesMax`, and at least the last half of that to be used. 0: remembers nothing. */
export function createMemory({ bytesMax }: { readonly bytesMax: number }): Memory {
  let young = new Map<string, Uint8Array>()
  let old = new Map<string, Uint8Array>()
  let youngBytes = 0

  function put(key: string, bytes: Uint8Array): void {
    const size = bytes.length + entryBytes
    if (youngBytes + size > bytesMax / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    young.set(key, bytes)
    youngBytes += size
  }

  return {
    find(ref) {
      const key = memoryKey(ref)
      const found = young.get(key)
      if (found !== undefined) return found
      const aged = old.get(key)
      if (aged === undefined) return null
      old.delete(key)
      put(key, aged)
      return aged
    },
    add(ref, bytes) {
      if (bytes.length + entryBytes > bytesMax / largestShare) return
      const key = memoryKey(ref)
      if (young.has(key)) return
      old.delete(key)
      put(key, bytes)
    },
    forget(ref) {
      const key = memoryKey(ref)
      const bytes = young.get(key)
      if (bytes !== undefined) youngBytes -= bytes.length + entryBytes
      young.delete(key)
      old.delete(key)
    },
  }
}

const initials: Readonly<Record<ContentKind, string>> = {
  header: 'h',
  transactions: 't',
  receipts: 'r',
  uncles: 'u',
  withdrawals: 'w',
  'trie-node': 'n',
  code: 'c',
  'dag-block': 'd',
}

/** Kind and hash, one character a byte: half of what `refKey` takes, and made faster. */
function memoryKey({ kind, hash }: ContentRef): string {
  return initials[kind] + toLatin1(hash)
}
