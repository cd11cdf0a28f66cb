// Methods that an upstream reported as unknown; it does not receive them again for a while. Bounded, because callers
// choose the names.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/set-newest.ts'

export type LackingMethods = {
  remember(method: string): void
  /** The upstream answered this method recently, so an error about a caller's params does not mark it as unknown. */
  answered(method: string): void
  has(method: string): boolean
  list(): readonly string[]
}

const methodsMax = 256
const keptMs = 3_600_000

/** Beyond the limit, the method reported longest ago is dropped. */
export function createLackingMethods(clock: Clock): LackingMethods {
  const until = new Map<string, number>()
  /** Time of the last answer per method. */
  const answers = new Map<string, number>()

  function has(method: string): boolean {
    return (until.get(method) ?? 0) > clock.monotonic()
  }

  return {
    has,
    answered(method) {
      if (answers.size >= methodsMax && !answers.has(method)) answers.clear()
      answers.set(method, clock.monotonic())
    },
    remember(method) {
      const answeredAt = answers.get(method)
      if (answeredAt !== undefined && clock.monotonic() - answeredAt < keptMs) return
      setNewest(until, method, clock.monotonic() + keptMs, methodsMax)
    },
    list: () => [...until.keys()].filter(has),
  }
}
