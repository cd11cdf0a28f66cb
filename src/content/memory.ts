// Cache of verified bytes in memory, by kind and hash, with a size limit in bytes. A trie walk looks up each node here, so a lookup
// allocates no string and no array: it finds an entry by a number derived from its hash, then compares the whole hash.
import { randomInt } from 'node:crypto'
import { toLatin1 } from '../base/hex.ts'
import { isSlotLeaf } from '../codec/ethereum/trie-node.ts'
import type { ContentKind, ContentRef } from './ref.ts'

export interface Memory {
  /** The array that was added, not a copy: readers must not write to it. */
  find(ref: ContentRef): Uint8Array | null
  /** As `find`, for the 32-byte hash at offset `at` of `from`. */
  findAt(kind: ContentKind, from: Uint8Array, at: number): Uint8Array | null
  /** The caller has verified `bytes`. Content larger than 1/64 of the limit is not cached. */
  add(ref: ContentRef, bytes: Uint8Array): void
}

/**
 * Whether many reads use this content, so that it is worth caching. A file's block is read once from start to end, and the leaf of
 * a slot ends a single walk, whose result is cached elsewhere: both would evict nodes that every read needs.
 */
export function isShared({ kind }: ContentRef, bytes: Uint8Array): boolean {
  return kind !== 'dag-block' && !(kind === 'trie-node' && isSlotLeaf(bytes))
}

/** Memory overhead of an entry in addition to its bytes: hash, map slot, array. Measured on V8 13. */
const entryBytes = 400
const largestShare = 64

type Entry = {
  readonly kind: ContentKind
  /** One character per byte. */
  readonly hash: string
  readonly bytes: Uint8Array
  /** The next entry with another hash and the same number. */
  readonly next: Entry | undefined
}

/**
 * Two generations, as in base/lru-cache.ts: retains at least the entries used since the last half of the limit was filled. 0:
 * caches nothing.
 */
export function createMemory({ bytesMax }: { readonly bytesMax: number }): Memory {
  // Random factors, so that an attacker cannot create hashes with the same number.
  const factors = [randomInt(2 ** 31) * 2 + 1, randomInt(2 ** 31) * 2 + 1] as const
  let young = new Map<number, Entry>()
  let old = new Map<number, Entry>()
  let youngBytes = 0

  /** Number of the last eight bytes of a hash, in the range that V8 stores unboxed. */
  function numberOf(from: Uint8Array, end: number): number {
    const one = wordAt(from, end - 4)
    const other = wordAt(from, end - 8)
    return (Math.imul(one, factors[0]) ^ Math.imul(other, factors[1])) >>> 2
  }

  function put(number: number, { kind, hash, bytes }: Entry): void {
    const size = bytes.length + entryBytes
    if (youngBytes + size > bytesMax / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    young.set(number, { kind, hash, bytes, next: young.get(number) })
    youngBytes += size
  }

  function find(
    kind: ContentKind,
    from: Uint8Array,
    at: number,
    length: number,
  ): Uint8Array | null {
    const number = numberOf(from, at + length)
    const found = match(young.get(number), kind, from, at, length)
    if (found !== undefined) return found.bytes
    const aged = match(old.get(number), kind, from, at, length)
    if (aged === undefined) return null
    put(number, aged)
    return aged.bytes
  }

  return {
    find: ({ kind, hash }) => find(kind, hash, 0, hash.length),
    findAt: (kind, from, at) => find(kind, from, at, 32),
    add({ kind, hash }, bytes) {
      if (bytes.length + entryBytes > bytesMax / largestShare) return
      const number = numberOf(hash, hash.length)
      if (match(young.get(number), kind, hash, 0, hash.length) !== undefined) return
      put(number, { kind, hash: toLatin1(hash), bytes, next: undefined })
    },
  }
}

function match(
  first: Entry | undefined,
  kind: ContentKind,
  from: Uint8Array,
  at: number,
  length: number,
): Entry | undefined {
  let entry = first
  while (entry !== undefined && !(entry.kind === kind && isSame(entry.hash, from, at, length))) {
    entry = entry.next
  }
  return entry
}

function isSame(hash: string, from: Uint8Array, at: number, length: number): boolean {
  if (hash.length !== length) return false
  for (let index = 0; index < length; index += 1) {
    if (hash.charCodeAt(index) !== from[at + index]) return false
  }
  return true
}

/** Bytes before the start of the array count as zero. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  )
}
