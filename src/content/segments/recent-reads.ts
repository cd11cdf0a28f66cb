// Recently read ranges of segments. The first read of a range uses direct I/O, because most large files are read once
// and their pages would displace those of popular files. From the second read on, the page cache is used.
// Tested by src/content/segments/recent-reads.test.ts

export type RecentReads = {
  /** Whether the stretch at this place was read before; it was from now on. */
  note(file: number, at: number): boolean
}

/** How many stretches there may be in a file. */
const stretchesMax = 2 ** 20

/** `stretchBytes`: size of a range. `stretches`: capacity; the oldest are dropped first. */
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
