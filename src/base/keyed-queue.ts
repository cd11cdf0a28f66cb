// Runs work with the same name serially; work with different names runs in parallel.
// Tested by src/base/keyed-queue.test.ts
import { Fault } from './fault.ts'

export type KeyedQueue = {
  /** Runs `work` after earlier work with this name has settled. Throws `overloaded` if the queue is full. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/** `pendingMax`: maximum unfinished pieces of work, over all names. */
export function createKeyedQueue(pendingMax: number): KeyedQueue {
  const lasts = new Map<string, Promise<unknown>>()
  let pending = 0
  return {
    async run(name, work) {
      if (pending >= pendingMax) throw new Fault('overloaded')
      pending++
      const before = lasts.get(name)
      const current = (async () => {
        try {
          await before
        } catch {
          // The error was reported to the caller of that work.
        }
        return await work()
      })()
      lasts.set(name, current)
      try {
        return await current
      } finally {
        pending--
        if (lasts.get(name) === current) lasts.delete(name)
      }
    },
  }
}
