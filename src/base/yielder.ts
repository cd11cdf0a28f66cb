// Yields during long work in memory: without an await on external events, no other request would be served until its
// end.
import { setImmediate } from 'node:timers/promises'

/** Reports a completed amount. Null, or a promise to await before continuing. */
export type Yielder = (work: number) => Promise<void> | null

/** Yields after `most`; the caller chooses the unit: bytes, names. */
export function createYielder(most: number): Yielder {
  let done = 0
  return (work) => {
    done += work
    if (done < most) return null
    done = 0
    return setImmediate()
  }
}
