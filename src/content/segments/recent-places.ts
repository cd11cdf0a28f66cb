// Where blocks lie that were put or looked for lately: asking the index takes longer than reading 4 KiB and hashing
// them. Bytes in segments never change and numbers of segments are given once, so a place that is out of date has
// the right bytes or none.

import { dagPbLeaf, verbatim, type BlockPlace } from './block-index.ts'
import { isSha256 } from './place-table.ts'

export type RecentPlaces = {
  find(multihash: Uint8Array): BlockPlace | null
  /** What the index says of it now. */
  note(multihash: Uint8Array, place: BlockPlace): void
  /** It is gone, or lies elsewhere. */
  forget(multihash: Uint8Array): void
}

/** Blocks whose names end alike share so many entries. */
const ways = 4
const digestBytes = 32
const digestAt = 2

/** `entries`: how many are remembered, a power of two; 64 bytes each. Blocks that sha2-256 does not name are not. */
export function createRecentPlaces(entries: number): RecentPlaces {
  if (entries < ways || (entries & (entries - 1)) !== 0) {
    throw new RangeError(`${entries} entries do not fill buckets`)
  }
  let made: { readonly digests: Uint8Array; readonly numbers: Float64Array } | null = null
  /** Which entry of a full bucket goes next. */
  let turn = 0

  function bucketOf(multihash: Uint8Array): number {
    const [one = 0, two = 0, three = 0] = [multihash[31], multihash[32], multihash[33]]
    return (((one << 16) | (two << 8) | three) * ways) & (entries - 1)
  }

  /** The entry that has it; -1: none. */
  function entryOf(multihash: Uint8Array): number {
    if (made === null || !isSha256(multihash)) return -1
    const { digests, numbers } = made
    const bucket = bucketOf(multihash)
    for (let entry = bucket; entry < bucket + ways; entry += 1) {
      if (numbers[entry * 4] === 0) continue
      const from = entry * digestBytes
      let at = 0
      while (at < digestBytes && digests[from + at] === multihash[digestAt + at]) at += 1
      if (at === digestBytes) return entry
    }
    return -1
  }

  function freeEntry(multihash: Uint8Array, numbers: Float64Array): number {
    const bucket = bucketOf(multihash)
    for (let entry = bucket; entry < bucket + ways; entry += 1) {
      if (numbers[entry * 4] === 0) return entry
    }
    turn = (turn + 1) % ways
    return bucket + turn
  }

  return {
    find(multihash) {
      const entry = entryOf(multihash)
      if (entry === -1 || made === null) return null
      const { numbers } = made
      const [file = 0, at = 0] = [numbers[entry * 4], numbers[entry * 4 + 1]]
      const [length = 0, size = 0] = [numbers[entry * 4 + 2], numbers[entry * 4 + 3]]
      return length < 0
        ? { file, at, bytes: -length, form: dagPbLeaf, size }
        : { file, at, bytes: length, form: verbatim, size }
    },
    note(multihash, { file, at, bytes, form, size }) {
      if (!isSha256(multihash)) return
      made ??= {
        digests: new Uint8Array(entries * digestBytes),
        numbers: new Float64Array(entries * 4),
      }
      const known = entryOf(multihash)
      const entry = known === -1 ? freeEntry(multihash, made.numbers) : known
      if (known === -1) made.digests.set(multihash.subarray(digestAt), entry * digestBytes)
      // A leaf has one byte at least: what has none is whole.
      made.numbers[entry * 4] = file
      made.numbers[entry * 4 + 1] = at
      made.numbers[entry * 4 + 2] = form === dagPbLeaf ? -bytes : bytes
      made.numbers[entry * 4 + 3] = size
    },
    forget(multihash) {
      const entry = entryOf(multihash)
      if (entry !== -1 && made !== null) made.numbers[entry * 4] = 0
    },
  }
}
