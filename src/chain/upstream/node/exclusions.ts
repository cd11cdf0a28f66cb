// Requests that an upstream does not receive. In quarantine: none for a minute, doubled each time up to an hour, then only requests
// that another upstream answers too, until 20 consecutive replies are proved. And for a limited time, methods that it reported as
// unknown; their number is limited, because clients choose the names.
// Tested by src/chain/upstream/node/exclusions.test.ts
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/lru-cache.ts'

/** `free`; `shut`: no requests; `proving`: the time has passed, its replies are canaries. */
type QuarantineState = 'free' | 'shut' | 'proving'

export type Quarantine = {
  /** Reports an invalid reply: starts the quarantine, unless it is already shut. */
  invalidReply(): void
  /** Reports a proved reply. Counts only while `proving`; true if it ends the quarantine. */
  prove(): boolean
  readonly state: QuarantineState
  /** Remaining time in `shut`, milliseconds. */
  readonly leftMs: number
  /** Canaries required before its release. */
  readonly canariesLeft: number
}

const quarantineLimits = {
  firstMs: 60_000,
  mostMs: 3_600_000,
  provesNeeded: 20,
  /** After this time without an invalid reply, the next one counts as the first. */
  forgottenMs: 24 * 3_600_000,
} as const

export function createQuarantine(clock: Clock, limits = quarantineLimits): Quarantine {
  let canariesLeft = 0
  let until = 0
  let nextMs: number = limits.firstMs
  let invalidReplyAt = 0

  function stateNow(): QuarantineState {
    if (canariesLeft === 0) return 'free'
    return clock.monotonic() < until ? 'shut' : 'proving'
  }

  return {
    invalidReply() {
      const now = clock.monotonic()
      if (stateNow() === 'shut') return
      if (now - invalidReplyAt >= limits.forgottenMs) nextMs = limits.firstMs
      invalidReplyAt = now
      until = now + nextMs
      nextMs = Math.min(nextMs * 2, limits.mostMs)
      canariesLeft = limits.provesNeeded
    },
    prove() {
      if (stateNow() !== 'proving') return false
      canariesLeft--
      return canariesLeft === 0
    },
    get state() {
      return stateNow()
    },
    get leftMs() {
      return Math.max(0, until - clock.monotonic())
    },
    get canariesLeft() {
      return canariesLeft
    },
  }
}

export type LackingMethods = {
  remember(method: string): void
  /** The upstream answered this method recently, so an error about the params of one client does not mark the method as unknown. */
  answered(method: string): void
  has(method: string): boolean
  list(): readonly string[]
}

const methodsMax = 256
const lackingMs = 3_600_000

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
      if (answeredAt !== undefined && clock.monotonic() - answeredAt < lackingMs) return
      setNewest(until, method, clock.monotonic() + lackingMs, methodsMax)
    },
    list: () => [...until.keys()].filter(has),
  }
}
