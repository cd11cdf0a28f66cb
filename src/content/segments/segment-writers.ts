// Tracks which segments may still be written to, or have unwritten rows. A segment below all of them is final and gains
// no block. Segment numbers only rise, so the lowest number of each writer is sufficient.
// Tested by src/content/segments/free-segments.test.ts
import type { SegmentKind } from './segment-folder.ts'

export type SegmentWriters = {
  /** Registers a writer, or unwritten rows, until the returned function is called. */
  begin(): () => void
  /** The lowest number of that kind that may still change. */
  floor(kind: SegmentKind): number
}

/** `current`: which one of the kind grows now; null: none. `next`: the number that a new one gets. */
export function createSegmentWriters(parts: {
  readonly current: (kind: SegmentKind) => number | null
  readonly next: () => number
}): SegmentWriters {
  const { current, next } = parts
  const active = new Set<Record<SegmentKind, number>>()
  const floorNow = (kind: SegmentKind): number => current(kind) ?? next()
  return {
    begin() {
      const floors = { ext: floorNow('ext'), log: floorNow('log') }
      active.add(floors)
      return () => void active.delete(floors)
    },
    floor(kind) {
      let lowest = floorNow(kind)
      for (const floors of active) lowest = Math.min(lowest, floors[kind])
      return lowest
    },
  }
}
