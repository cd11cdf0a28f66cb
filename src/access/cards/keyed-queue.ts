// Work that must not overlap for one name runs one after another; different names do not wait for each other.
import { Fault } from '../../base/fault.ts'

export type KeyedQueue = {
  /** Runs `work` when what came before it under this name has ended, well or not. Throws `overloaded` when too much waits. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** `waitingMax`: pieces of work that are not done yet, all names together. */
export function createKeyedQueue(waitingMax: number): KeyedQueue {
  const lasts = new Map<string, Promise<unknown>>()
  let waiting = 0
  return {
    async run(name, work) {
      if (waiting >= waitingMax) throw new Fault('overloaded')
      waiting++
      const before = lasts.get(name)
      const mine = (async () => {
        try {
          await before
        } catch {
          // Whoever asked for it was told.
        }
        return await work()
      })()
      lasts.set(name, mine)
      try {
        return await mine
      } finally {
        waiting--
        if (lasts.get(name) === mine) lasts.delete(name)
      }
    },
  }
}
