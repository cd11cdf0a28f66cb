// Methods an upstream said it does not know, so that it is not asked for them again for a while. Bounded: callers
// choose the names.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/set-newest.ts'

export type LackingMethods = {
  remember(method: string): void
  /** It knows this one: for as long as that is news, what a caller asks of it does not make it unknown. */
  answered(method: string): void
  has(method: string): boolean
  list(): readonly string[]
}

const methodsMax = 256
const keptMs = 3_600_000

/** Beyond its number the one that was told of longest ago is forgotten. */
export function createLackingMethods(clock: Clock): LackingMethods {
  const until = new Map<string, number>()
  /** When each was answered last. */
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
