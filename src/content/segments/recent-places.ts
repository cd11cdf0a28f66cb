// Cache of locations of recently written or read blocks: reading the index takes longer than reading and hashing 4 KiB. Bytes in
// segments never change and segment numbers are never reused, so a stale location yields the correct bytes or none.
import { isSha256Name } from '../../codec/ipld/multihash.ts'
import { type BlockPlace, dagPbLeaf, verbatim } from '../../tables/blocks.ts'

export type RecentPlaces = {
  find(multihash: Uint8Array): BlockPlace | null
  has(multihash: Uint8Array): boolean
  /** Sets the location from the index. */
  note(multihash: Uint8Array, place: BlockPlace): void
  /** Drops a block that was deleted or moved. */
  forget(multihash: Uint8Array): void
}

/** Number of entries shared by blocks with equal name endings. */
const ways = 4
/** 32-bit fields of an entry: four of the name, then file (0: none), offset, length and form, size. */
const width = 8
const fileAt = 4
const lengthMax = 2 ** 31
const wordMax = 2 ** 32

/**
 * `entries`: capacity, a power of two; 32 bytes each. Blocks with other hash functions than sha2-256 and offsets
 * beyond 4 GiB are not cached. Names are compared by 128 bits of their digest, which resists collisions.
 */
export function createRecentPlaces(entries: number): RecentPlaces {
  if (entries < ways || (entries & (entries - 1)) !== 0) {
    throw new RangeError(`${entries} entries do not fill buckets`)
  }
  let table: Uint32Array | null = null
  /** The entry of a full bucket that is replaced next. */
  let victim = 0

  function bucketOf(multihash: Uint8Array): number {
    const [one = 0, two = 0, three = 0] = [multihash[31], multihash[32], multihash[33]]
    return ((((one << 16) | (two << 8) | three) * ways) & (entries - 1)) * width
  }

  /** Position of the entry of that multihash; -1: none. */
  function entryOf(words: Uint32Array, multihash: Uint8Array): number {
    const bucket = bucketOf(multihash)
    const first = wordOf(multihash, 2)
    for (let entry = bucket; entry < bucket + ways * width; entry += width) {
      if (words[entry] !== first || words[entry + fileAt] === 0) continue
      const isSame =
        words[entry + 1] === wordOf(multihash, 6) &&
        words[entry + 2] === wordOf(multihash, 10) &&
        words[entry + 3] === wordOf(multihash, 14)
      if (isSame) return entry
    }
    return -1
  }

  function freeEntry(words: Uint32Array, multihash: Uint8Array): number {
    const bucket = bucketOf(multihash)
    for (let entry = bucket; entry < bucket + ways * width; entry += width) {
      if (words[entry + fileAt] === 0) return entry
    }
    victim = (victim + 1) % ways
    return bucket + victim * width
  }

  function forget(multihash: Uint8Array): void {
    if (table === null || !isSha256Name(multihash)) return
    const entry = entryOf(table, multihash)
    if (entry !== -1) table[entry + fileAt] = 0
  }

  return {
    find(multihash) {
      if (table === null || !isSha256Name(multihash)) return null
      const words = table
      const entry = entryOf(words, multihash)
      if (entry === -1) return null
      const length = words[entry + 6] ?? 0
      return {
        file: words[entry + fileAt] ?? 0,
        at: words[entry + 5] ?? 0,
        bytes: length % lengthMax,
        form: length < lengthMax ? verbatim : dagPbLeaf,
        size: words[entry + 7] ?? 0,
      }
    },
    has: (multihash) =>
      table !== null && isSha256Name(multihash) && entryOf(table, multihash) !== -1,
    note(multihash, { file, at, bytes, form, size }) {
      if (!isSha256Name(multihash)) return
      if (!(file < wordMax && at < wordMax && bytes < lengthMax && size < wordMax)) {
        return forget(multihash)
      }
      const words = (table ??= new Uint32Array(entries * width))
      const existing = entryOf(words, multihash)
      const entry = existing === -1 ? freeEntry(words, multihash) : existing
      for (let word = 0; word < fileAt; word += 1) {
        words[entry + word] = wordOf(multihash, 2 + word * 4)
      }
      words[entry + fileAt] = file
      words[entry + 5] = at
      words[entry + 6] = form === dagPbLeaf ? bytes + lengthMax : bytes
      words[entry + 7] = size
    },
    forget,
  }
}

function wordOf(bytes: Uint8Array, at: number): number {
  const [one = 0, two = 0, three = 0, four = 0] = [
    bytes[at],
    bytes[at + 1],
    bytes[at + 2],
    bytes[at + 3],
  ]
  return ((one << 24) | (two << 16) | (three << 8) | four) >>> 0
}

export type RecentReads = {
  /** Whether this range was read before; records it as read. */
  note(file: number, at: number): boolean
}

/** Maximum number of ranges in a file. */
const stretchesMax = 2 ** 20

/** `stretchBytes`: size of a range. `stretches`: capacity; the oldest are dropped first. */
export function createRecentReads(stretchBytes: number, stretches: number): RecentReads {
  const seen = new Set<number>()
  return {
    note(file, at) {
      const stretch = file * stretchesMax + Math.floor(at / stretchBytes)
      const before = seen.delete(stretch)
      seen.add(stretch)
      if (seen.size > stretches) seen.delete(seen.values().next().value ?? stretch)
      return before
    },
  }
}
