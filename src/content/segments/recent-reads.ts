// Which stretches of segments were read lately. What is read for the first time is read past the cache of the system:
// most large files are read once, and their pages would push out what is read again and again. What is read again
// is worth its pages.
// Tested by src/content/segments/recent-reads.test.ts

export type RecentReads = {
  /** Whether the stretch at this place was read before; it was from now on. */
  note(file: number, at: number): boolean
}

/** How many stretches there may be in a file. */
const stretchesMax = 2 ** 20

/** `stretchBytes`: what counts as one place. `stretches`: how many are remembered; the oldest go first. */
export function createRecentReads(stretchBytes: number, stretches: number): RecentReads {
  const known = new Set<number>()
  return {
    note(file, at) {
      const stretch = file * stretchesMax + Math.floor(at / stretchBytes)
      const before = known.delete(stretch)
      known.add(stretch)
      if (known.size > stretches) known.delete(known.values().next().value ?? stretch)
      return before
    },
  }
}
