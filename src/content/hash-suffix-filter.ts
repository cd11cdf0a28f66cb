// How many names of a set end alike: most that are looked for are not in it, and need not be spelled to know that.
import type { ContentRef } from './ref.ts'

export type HashSuffixFilter = {
  /** False: no such name was added. */
  mayHold(ref: ContentRef): boolean
  add(ref: ContentRef): void
  /** Of one that was added. */
  remove(ref: ContentRef): void
}

/** A power of two. */
const suffixesCount = 4096

export function createHashSuffixFilter(): HashSuffixFilter {
  const counts = new Uint32Array(suffixesCount)

  function change(ref: ContentRef, by: 1 | -1): void {
    const at = suffixOf(ref)
    counts[at] = (counts[at] ?? 0) + by
  }

  return {
    mayHold: (ref) => counts[suffixOf(ref)] !== 0,
    add: (ref) => change(ref, 1),
    remove: (ref) => change(ref, -1),
  }
}

/** Out of the last two bytes of its hash. */
function suffixOf({ hash }: ContentRef): number {
  const { length } = hash
  return (((hash[length - 2] ?? 0) << 8) | (hash[length - 1] ?? 0)) % suffixesCount
}
