// Shares one thread among tasks by slices: a task that has run for a slice lets the next one go on, and one
// that has run for too long, or was given up, ends at its next stop. Stops are many and cost little.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'

export type TurnLimits = {
  /** After so long another task may go on. */
  readonly sliceMs: number
  /** The most that one task may run. */
  readonly runMs: number
  /** The most from its begin to its end, the turns of others included. */
  readonly spanMs: number
}

/** 5 s is go-ethereum's own bound (`rpc.evmtimeout`); the span stays under a request's deadline. */
export const defaultTurnLimits: TurnLimits = { sliceMs: 20, runMs: 5_000, spanMs: 20_000 }

/** The clock is read once in so many stops. */
const stopsPerLook = 64

/** go-ethereum's text for a call that ran too long. */
export function tooLong({ runMs }: TurnLimits): Fault {
  return new Fault('execution_failed', {
    detail: `execution aborted (timeout = ${Math.max(1, Math.round(runMs / 1000))}s)`,
  })
}

/** Hands the thread to one task after the other, in the order in which they asked. */
export class Turns {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #waiting: (() => void)[] = []
  #taken = false

  constructor(clock: Clock, limits: TurnLimits = defaultTurnLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Runs `work` in turn with all others. `onTurn` is told each time it goes on. */
  async run<T>(
    turnOf: (turn: Turn) => Promise<T>,
    signal: AbortSignal,
    onTurn: () => void = () => {},
  ): Promise<T> {
    await this.#take()
    try {
      signal.throwIfAborted()
      onTurn()
      return await turnOf(new Turn(this.#clock, this.#limits, signal, () => this.#pass(onTurn)))
    } finally {
      this.#give()
    }
  }

  async #pass(onTurn: () => void): Promise<void> {
    this.#give()
    // Also when nobody waits: what the task is told (that it was given up) is heard only between turns.
    await setImmediate()
    await this.#take()
    onTurn()
  }

  async #take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#taken = true
  }

  /** `#taken` stays true when somebody waits: nobody may come between. */
  #give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }
}

/** One task's share of the thread. */
export class Turn {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #signal: AbortSignal
  readonly #pass: () => Promise<void>
  readonly #beganAt: number
  #since: number
  #ranMs = 0
  #stops = 0

  constructor(clock: Clock, limits: TurnLimits, signal: AbortSignal, pass: () => Promise<void>) {
    this.#clock = clock
    this.#limits = limits
    this.#signal = signal
    this.#pass = pass
    this.#beganAt = clock.monotonic()
    this.#since = this.#beganAt
  }

  /** A place to stop inside the EVM. Resolves at once, or when the turn comes round again. */
  stop(): Promise<void> | null {
    this.#stops += 1
    if (this.#stops % stopsPerLook !== 0) return null
    return this.look()
  }

  /** The same, the clock read every time. Throws `execution_failed` when time is up. */
  look(): Promise<void> | null {
    const now = this.#clock.monotonic()
    const ran = now - this.#since
    if (ran < this.#limits.sliceMs) return null
    this.#ranMs += ran
    if (this.#ranMs >= this.#limits.runMs || now - this.#beganAt >= this.#limits.spanMs) {
      throw tooLong(this.#limits)
    }
    return this.#rest()
  }

  async #rest(): Promise<void> {
    await this.#pass()
    this.#since = this.#clock.monotonic()
    this.#signal.throwIfAborted()
  }
}
