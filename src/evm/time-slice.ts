// Shares one thread among tasks by time slices. After its slice a task lets the next one run. A task that exceeds its time limit
// or is aborted ends at its next stop. Stops are frequent and cheap.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { checkStep, stepMsMax } from './precompiles/bound-precompiles.ts'

export type TimeSliceLimits = {
  /** Length of a slice: after it another task may run. */
  readonly sliceMs: number
  /** Maximum run time of one task. */
  readonly runMs: number
  /** Maximum time from the start of a task to its end, including the slices of other tasks. */
  readonly spanMs: number
  /** Maximum duration of one step without a stop. */
  readonly stepMs: number
}

/** 5 s is go-ethereum's limit (`rpc.evmtimeout`). The span is shorter than a request's deadline. */
export const defaultTimeSliceLimits: TimeSliceLimits = {
  sliceMs: 20,
  runMs: 5_000,
  spanMs: 20_000,
  stepMs: stepMsMax,
}

/** Limits of a thread for short tasks: of one step, and of a whole run while other tasks wait. */
export type MoveLimits = { readonly stepMs: number; readonly runMs: number }

/** Thrown by a task that must restart in the thread for long tasks. */
export class MustYield extends Error {}

/** The clock is read at every eighth stop. */
const stopsPerLook = 8

/** Error with go-ethereum's text for a call that ran too long. */
export function tooLong({ runMs }: TimeSliceLimits): Fault {
  return new Fault('execution_failed', {
    detail: `execution aborted (timeout = ${Math.max(1, Math.round(runMs / 1000))}s)`,
  })
}

/**
 * Runs one task at a time. New tasks and paused tasks alternate, each group in FIFO order, so a short task overtakes any number
 * of long ones.
 */
export class TimeSlices {
  readonly #clock: Clock
  readonly #limits: TimeSliceLimits
  readonly #moves: MoveLimits | null
  readonly #beginning: (() => void)[] = []
  readonly #goingOn: (() => void)[] = []
  #tasks = 0
  #taken = false
  #nextBegins = true

  /** `moves`: null if tasks never move to another thread. */
  constructor(
    clock: Clock,
    limits: TimeSliceLimits = defaultTimeSliceLimits,
    moves: MoveLimits | null = null,
  ) {
    this.#clock = clock
    this.#limits = limits
    this.#moves = moves
  }

  get limits(): TimeSliceLimits {
    return this.#limits
  }

  get moves(): MoveLimits | null {
    return this.#moves
  }

  /** True if there is another task. */
  get isCrowded(): boolean {
    return this.#tasks > 1
  }

  /** Runs `work` in time slices. `onTurn` is called each time it starts or continues. */
  async run<T>(
    turnOf: (turn: TimeSlice) => Promise<T>,
    signal: AbortSignal,
    onTurn: () => void = () => {},
  ): Promise<T> {
    this.#tasks += 1
    try {
      return await this.#runInTurn(turnOf, signal, onTurn)
    } finally {
      this.#tasks -= 1
    }
  }

  async #runInTurn<T>(
    turnOf: (turn: TimeSlice) => Promise<T>,
    signal: AbortSignal,
    onTurn: () => void,
  ): Promise<T> {
    await this.#take(this.#beginning)
    try {
      signal.throwIfAborted()
      onTurn()
      const pause = (waited: Promise<void>): Promise<void> => this.#pause(waited, onTurn)
      return await turnOf(new TimeSlice(this.#clock, this, signal, pause))
    } finally {
      this.#give()
    }
  }

  /** Other tasks run until `waited` resolves and it is this task's turn again. `waited` never rejects. */
  async #pause(waited: Promise<void>, onTurn: () => void): Promise<void> {
    this.#give()
    await waited
    await this.#take(this.#goingOn)
    onTurn()
  }

  async #take(line: (() => void)[]): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => line.push(resolve))
    this.#taken = true
  }

  /** `#taken` stays true while a task waits, so no other task can start in between. */
  #give(): void {
    const lines = [this.#beginning, this.#goingOn]
    if (!this.#nextBegins) lines.reverse()
    const line = lines.find((it) => it.length > 0)
    const next = line?.shift()
    if (next === undefined) {
      this.#taken = false
      return
    }
    this.#nextBegins = line !== this.#beginning
    next()
  }
}

/** One task's share of the thread. */
export class TimeSlice {
  readonly #clock: Clock
  readonly #turns: Pick<TimeSlices, 'limits' | 'moves' | 'isCrowded'>
  readonly #signal: AbortSignal
  readonly #pause: (waited: Promise<void>) => Promise<void>
  readonly #beganAt: number
  #since: number
  #ranMs = 0
  #stops = 0

  constructor(
    clock: Clock,
    turns: Pick<TimeSlices, 'limits' | 'moves' | 'isCrowded'>,
    signal: AbortSignal,
    pause: (waited: Promise<void>) => Promise<void>,
  ) {
    this.#clock = clock
    this.#turns = turns
    this.#signal = signal
    this.#pause = pause
    this.#beganAt = clock.monotonic()
    this.#since = this.#beganAt
  }

  /** A stop inside the EVM. Null: continue immediately; otherwise resolves at the task's next slice. */
  stop(): Promise<void> | null {
    this.#stops += 1
    if (this.#stops % stopsPerLook !== 0) return null
    return this.look()
  }

  /** Call before a precompiled contract that takes `ms`. Throws `execution_failed` or `MustYield` if that is too long. */
  step(ms: number, address: string): Promise<void> | null {
    const { limits, moves } = this.#turns
    checkStep(ms, address, limits.stepMs)
    if (moves !== null && ms > moves.stepMs) throw new MustYield()
    return this.look()
  }

  /** As `stop`, but always reads the clock. Throws `execution_failed` when the time limit is exceeded. */
  look(): Promise<void> | null {
    const now = this.#clock.monotonic()
    const ran = now - this.#since
    const { limits, moves } = this.#turns
    if (ran < limits.sliceMs) return null
    this.#ranMs += ran
    if (this.#ranMs >= limits.runMs || now - this.#beganAt >= limits.spanMs) {
      throw tooLong(limits)
    }
    if (moves !== null && this.#ranMs >= moves.runMs && this.#turns.isCrowded) throw new MustYield()
    return this.#rest()
  }

  /**
   * Lets other tasks run while this one waits for `promise`. The wait counts only towards the span. Rejects as `promise`, if the
   * task is aborted, and with `execution_failed` when the span is exceeded.
   */
  async wait<T>(promise: Promise<T>): Promise<T> {
    this.#ranMs += this.#clock.monotonic() - this.#since
    let outcome = null as PromiseSettledResult<T> | null
    const { promise: aborted, resolve } = Promise.withResolvers<void>()
    const abort = (): void => resolve()
    this.#signal.addEventListener('abort', abort, { once: true })
    const settled = Promise.allSettled([promise]).then(([result]) => void (outcome = result))
    await this.#pause(this.#signal.aborted ? Promise.resolve() : Promise.race([settled, aborted]))
    this.#signal.removeEventListener('abort', abort)
    this.#since = this.#clock.monotonic()
    this.#signal.throwIfAborted()
    const { limits } = this.#turns
    if (this.#since - this.#beganAt >= limits.spanMs) throw tooLong(limits)
    if (outcome === null) throw new Error('the wait of a task ended without a result')
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  async #rest(): Promise<void> {
    // Pause even without other tasks: an abort message arrives only between turns of the event loop.
    await this.#pause(setImmediate())
    this.#since = this.#clock.monotonic()
    this.#signal.throwIfAborted()
  }
}
