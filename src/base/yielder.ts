// Yields during long synchronous work: without an await on external events, no other request would be served before it ends.
import { setImmediate } from 'node:timers/promises'

/** Reports completed work. Null, or a promise to await before continuing. */
export type Yielder = (work: number) => Promise<void> | null

/** Yields after `most` units; the caller chooses the unit, such as bytes or names. */
export function createYielder(most: number): Yielder {
  let done = 0
  return (work) => {
    done += work
    if (done < most) return null
    done = 0
    return setImmediate()
  }
}
