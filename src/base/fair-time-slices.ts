// Time slices for long work on a thread with several owners. Each round of the event loop runs one slice, so short work waits for
// one slice, not for all owners. Owners are served round-robin.
import type { Clock } from './clock.ts'
import type { Yielder } from './yielder.ts'

export type FairTimeSlices = {
  /** Null: continue immediately, because this round has just begun. Otherwise resolves when it is the owner's turn. */
  enter(owner: string): Promise<void> | null
  /** As `createYielder`, for work of `owner`. */
  yielderFor(owner: string, most: number): Yielder
}

/** Work that begins within this time of a round continues immediately. */
const roundMs = 2

/** The queue is limited by its callers: each piece of work waits for one turn at a time. */
export function createFairTimeSlices(clock: Pick<Clock, 'monotonic'>): FairTimeSlices {
  /** Round-robin order; only owners with waiting work. */
  const lines = new Map<string, (() => void)[]>()
  let isTaken = false
  let beganAt = 0

  function endRound(): void {
    const next = lines.entries().next().value
    if (next === undefined) {
      isTaken = false
      return
    }
    const [owner, line] = next
    const go = line.shift()
    lines.delete(owner)
    if (line.length > 0) lines.set(owner, line)
    beginRound()
    go?.()
  }

  function beginRound(): void {
    isTaken = true
    beganAt = clock.monotonic()
    setImmediate(endRound)
  }

  function wait(owner: string): Promise<void> {
    if (!isTaken) beginRound()
    return new Promise((resolve) => {
      const line = lines.get(owner) ?? []
      line.push(resolve)
      lines.set(owner, line)
    })
  }

  return {
    enter(owner) {
      if (isTaken) {
        const isShort = lines.size === 0 && clock.monotonic() - beganAt < roundMs
        return isShort ? null : wait(owner)
      }
      beginRound()
      return null
    },
    yielderFor(owner, most) {
      let done = 0
      return (work) => {
        done += work
        if (done < most) return null
        done = 0
        return wait(owner)
      }
    },
  }
}
