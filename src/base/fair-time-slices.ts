// Time slices for long work on a thread with several owners. Each round of the event loop runs one slice, so short work waits for
// one slice, not for all owners. Owners are served round-robin.
import type { Clock } from './clock.ts'
import type { Yielder } from './yielder.ts'

export type FairTimeSlices = {
  /** Null: continue immediately, because this round has just begun. Otherwise resolves when it is the owner's turn. */
  enter(owner: string): Promise<void> | null
  /** As `createYielder`, for work of `owner`. */
  yielderFor(owner: string, workPerSlice: number): Yielder
}

/** Work that begins within this time of a round continues immediately. */
const roundMs = 2

/** The queue is limited by its callers: each piece of work waits for one turn at a time. */
export function createFairTimeSlices(clock: Pick<Clock, 'monotonic'>): FairTimeSlices {
  /** Round-robin order; only owners with waiting work. */
  const queues = new Map<string, (() => void)[]>()
  let isRoundActive = false
  let roundStartedAt = 0

  function endRound(): void {
    const next = queues.entries().next().value
    if (next === undefined) {
      isRoundActive = false
      return
    }
    const [owner, queue] = next
    const resume = queue.shift()
    queues.delete(owner)
    if (queue.length > 0) queues.set(owner, queue)
    beginRound()
    resume?.()
  }

  function beginRound(): void {
    isRoundActive = true
    roundStartedAt = clock.monotonic()
    setImmediate(endRound)
  }

  function wait(owner: string): Promise<void> {
    if (!isRoundActive) beginRound()
    return new Promise((resolve) => {
      const queue = queues.get(owner) ?? []
      queue.push(resolve)
      queues.set(owner, queue)
    })
  }

  return {
    enter(owner) {
      if (isRoundActive) {
        const isShort = queues.size === 0 && clock.monotonic() - roundStartedAt < roundMs
        return isShort ? null : wait(owner)
      }
      beginRound()
      return null
    },
    yielderFor(owner, workPerSlice) {
      let workDone = 0
      return (work) => {
        workDone += work
        if (workDone < workPerSlice) return null
        workDone = 0
        return wait(owner)
      }
    },
  }
}
