// How many names of a set end alike: most that are looked for are not in it, and need not be spelled to know that.
import type { ContentRef } from './ref.ts'

export type Endings = {
  /** False: no such name was added. */
  mayHold(ref: ContentRef): boolean
  add(ref: ContentRef): void
  /** Of one that was added. */
  remove(ref: ContentRef): void
}

/** A power of two. */
const endingsCount = 4096

export function createEndings(): Endings {
  const counts = new Uint32Array(endingsCount)

  function change(ref: ContentRef, by: 1 | -1): void {
    const at = endingOf(ref)
    counts[at] = (counts[at] ?? 0) + by
  }

  return {
    mayHold: (ref) => counts[endingOf(ref)] !== 0,
    add: (ref) => change(ref, 1),
    remove: (ref) => change(ref, -1),
  }
}

/** Out of the last two bytes of its hash. */
function endingOf({ hash }: ContentRef): number {
  const { length } = hash
  return (((hash[length - 2] ?? 0) << 8) | (hash[length - 1] ?? 0)) % endingsCount
}
