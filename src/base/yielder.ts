// Long work in memory gives other work its turn: without an await on something outside, no other request would be
// heard until it is over.
import { setImmediate } from 'node:timers/promises'

/** Says that so much was done. Null, or a promise to wait for before more is done. */
export type Yielder = (work: number) => Promise<void> | null

/** A turn is over once `most` was done; of what, is for the caller to say: bytes, names. */
export function createYielder(most: number): Yielder {
  let done = 0
  return (work) => {
    done += work
    if (done < most) return null
    done = 0
    return setImmediate()
  }
}
