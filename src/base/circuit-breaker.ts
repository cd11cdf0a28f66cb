// A circuit breaker for one upstream and one class of methods, or one source of files: after many failures no call is
// sent for a while, then one trial call.
import type { Clock } from './clock.ts'

/** `half-open`: the pause has expired, and one trial call is allowed. */
type BreakerState = 'closed' | 'open' | 'half-open'

export type CircuitBreaker = {
  /** Returns true if a call may be sent now. Read-only. */
  mayPass(): boolean
  /** Records that a call is sent; the only one while half-open. */
  pass(): void
  succeed(): void
  fail(): void
  /** The call ended without a result for the breaker: its caller aborted, or Cairn refused it. */
  forget(): void
  /** Opens immediately for the time that the upstream requested. */
  pause(ms: number): void
  /** If open after failures, allows the trial call now. A pause requested by the upstream stays. */
  wake(): void
  readonly state: BreakerState
  /** Share of successful calls in the window, 0 to 1; 1 without calls. */
  readonly successRate: number
}

export type CircuitBreakerLimits = {
  /** Failures older than this do not count. */
  readonly windowMs: number
  /** With fewer calls in the window the breaker does not open. */
  readonly callsMin: number
  readonly failedShare: number
  readonly openMs: number
}

const breakerLimits: CircuitBreakerLimits = {
  windowMs: 30_000,
  callsMin: 20,
  failedShare: 0.5,
  openMs: 30_000,
}

/** The window has six rotating slots, so it covers between 25 and 30 seconds. */
const slots = 6

export function createCircuitBreaker(clock: Clock, limits = breakerLimits): CircuitBreaker {
  const slotMs = limits.windowMs / slots
  const good = new Uint32Array(slots)
  const bad = new Uint32Array(slots)
  let slot = Math.floor(clock.monotonic() / slotMs)
  let openUntil: number | null = null
  /** End of the pause that the upstream requested. */
  let pausedUntil = 0
  let isTrying = false

  function advanceWindow(): void {
    const now = Math.floor(clock.monotonic() / slotMs)
    for (const end = Math.min(now, slot + slots); slot < end;) {
      slot++
      good[slot % slots] = 0
      bad[slot % slots] = 0
    }
    slot = now
  }

  function sum(counts: Uint32Array): number {
    return counts.reduce((total, count) => total + count, 0)
  }

  function open(ms: number): void {
    isTrying = false
    openUntil = Math.max(openUntil ?? 0, clock.monotonic() + ms)
  }

  function clear(): void {
    good.fill(0)
    bad.fill(0)
    openUntil = null
    isTrying = false
  }

  function stateNow(): BreakerState {
    if (openUntil === null) return 'closed'
    return clock.monotonic() < openUntil ? 'open' : 'half-open'
  }

  return {
    mayPass() {
      const state = stateNow()
      return state === 'closed' || (state === 'half-open' && !isTrying)
    },
    pass() {
      if (stateNow() === 'half-open') isTrying = true
    },
    succeed() {
      advanceWindow()
      if (stateNow() === 'half-open') clear()
      good[slot % slots] = (good[slot % slots] ?? 0) + 1
    },
    fail() {
      advanceWindow()
      bad[slot % slots] = (bad[slot % slots] ?? 0) + 1
      if (stateNow() === 'half-open') {
        open(limits.openMs)
        return
      }
      const failed = sum(bad)
      const calls = failed + sum(good)
      if (calls >= limits.callsMin && failed >= calls * limits.failedShare) open(limits.openMs)
    },
    forget() {
      isTrying = false
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms)
      open(ms)
    },
    wake() {
      if (stateNow() === 'open') openUntil = Math.max(pausedUntil, clock.monotonic())
    },
    get state() {
      return stateNow()
    },
    get successRate() {
      advanceWindow()
      const failed = sum(bad)
      const calls = failed + sum(good)
      return calls === 0 ? 1 : 1 - failed / calls
    },
  }
}
