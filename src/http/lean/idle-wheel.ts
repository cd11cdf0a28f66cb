// How long connections may be idle, on one timer: each holds the tick at which it is due, so that putting it off
// costs an addition.
import type { Clock } from '../../base/clock.ts'

/** `dueTick`: changed by its owner; `onDue` is called at every tick from then on. */
export type Idler = { readonly dueTick: number; onDue(): void }

export type IdleWheel = {
  add(idler: Idler): void
  remove(idler: Idler): void
  /** The tick at which `ms` from now have passed: at most two periods later, never earlier. */
  tickAfter(ms: number): number
  /** Milliseconds since `tickAfter(ms)` gave this tick, to the precision of a period. */
  sinceTickAfter(tick: number, ms: number): number
  stop(): void
}

/** Bounded by the server's cap on connections. */
export function createIdleWheel(periodMs: number, clock: Clock): IdleWheel {
  const idlers = new Set<Idler>()
  let tick = 0
  const stop = clock.every(periodMs, () => {
    tick += 1
    for (const idler of idlers) if (idler.dueTick <= tick) idler.onDue()
  })
  return {
    add: (idler) => void idlers.add(idler),
    remove: (idler) => void idlers.delete(idler),
    tickAfter: (ms) => tick + Math.ceil(ms / periodMs) + 1,
    sinceTickAfter: (due, ms) => (tick + Math.ceil(ms / periodMs) + 1 - due) * periodMs,
    stop,
  }
}
