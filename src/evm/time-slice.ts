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
export class MustMove extends Error {}

/** The clock is read at every eighth stop. */
const stopsPerClockRead = 8

/** Error with go-ethereum's text for a call that ran too long. */
export function tooLong({ runMs }: TimeSliceLimits): Fault {
  return aborted(`timeout = ${secondsOf(runMs)}`)
}

/** The same for a call that ended late because it waited for its turns, or for the state that it reads. */
function tooLate({ spanMs }: TimeSliceLimits): Fault {
  return aborted(`timeout = ${secondsOf(spanMs)}, waits included`)
}

function aborted(why: string): Fault {
  return new Fault('execution_failed', { detail: `execution aborted (${why})` })
}

function secondsOf(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1000))}s`
}

/**
 * Runs one task at a time. New tasks and paused tasks alternate, each group in FIFO order, so a short task overtakes any number
 * of long ones.
 */
export class TimeSlices {
  readonly #clock: Clock
  readonly #limits: TimeSliceLimits
  readonly #moveLimits: MoveLimits | null
  readonly #newTasks: (() => void)[] = []
  readonly #pausedTasks: (() => void)[] = []
  #tasks = 0
  #isBusy = false
  #prefersNew = true

  /** `moveLimits`: null if tasks never move to another thread. */
  constructor(
    clock: Clock,
    limits: TimeSliceLimits = defaultTimeSliceLimits,
    moveLimits: MoveLimits | null = null,
  ) {
    this.#clock = clock
    this.#limits = limits
    this.#moveLimits = moveLimits
  }

  get limits(): TimeSliceLimits {
    return this.#limits
  }

  get moveLimits(): MoveLimits | null {
    return this.#moveLimits
  }

  /** True if there is another task. */
  get hasOtherTasks(): boolean {
    return this.#tasks > 1
  }

  /** Runs `work` in time slices. `onSlice` is called each time it starts or continues. */
  async run<T>(
    work: (slice: TimeSlice) => Promise<T>,
    signal: AbortSignal,
    onSlice: () => void = () => {},
  ): Promise<T> {
    this.#tasks += 1
    try {
      return await this.#runInSlices(work, signal, onSlice)
    } finally {
      this.#tasks -= 1
    }
  }

  async #runInSlices<T>(
    work: (slice: TimeSlice) => Promise<T>,
    signal: AbortSignal,
    onSlice: () => void,
  ): Promise<T> {
    await this.#acquire(this.#newTasks)
    try {
      signal.throwIfAborted()
      onSlice()
      const pause = (until: Promise<void>): Promise<void> => this.#pause(until, onSlice)
      return await work(new TimeSlice(this.#clock, this, signal, pause))
    } finally {
      this.#release()
    }
  }

  /** Other tasks run until `until` resolves and it is this task's turn again. `until` never rejects. */
  async #pause(until: Promise<void>, onSlice: () => void): Promise<void> {
    this.#release()
    await until
    await this.#acquire(this.#pausedTasks)
    onSlice()
  }

  async #acquire(queue: (() => void)[]): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => queue.push(resolve))
    this.#isBusy = true
  }

  /** `#isBusy` stays true while a task waits, so no other task can start in between. */
  #release(): void {
    const queues = [this.#newTasks, this.#pausedTasks]
    if (!this.#prefersNew) queues.reverse()
    const queue = queues.find((it) => it.length > 0)
    const next = queue?.shift()
    if (next === undefined) {
      this.#isBusy = false
      return
    }
    this.#prefersNew = queue !== this.#newTasks
    next()
  }
}

/** One task's share of the thread. */
export class TimeSlice {
  readonly #clock: Clock
  readonly #slices: Pick<TimeSlices, 'limits' | 'moveLimits' | 'hasOtherTasks'>
  readonly #signal: AbortSignal
  readonly #pause: (until: Promise<void>) => Promise<void>
  readonly #startedAt: number
  #sliceStart: number
  #ranMs = 0
  #stops = 0

  constructor(
    clock: Clock,
    slices: Pick<TimeSlices, 'limits' | 'moveLimits' | 'hasOtherTasks'>,
    signal: AbortSignal,
    pause: (until: Promise<void>) => Promise<void>,
  ) {
    this.#clock = clock
    this.#slices = slices
    this.#signal = signal
    this.#pause = pause
    this.#startedAt = clock.monotonic()
    this.#sliceStart = this.#startedAt
  }

  /** A stop inside the EVM. Null: continue immediately; otherwise resolves at the task's next slice. */
  stop(): Promise<void> | null {
    this.#stops += 1
    if (this.#stops % stopsPerClockRead !== 0) return null
    return this.yieldIfDue()
  }

  /**
   * Call before a step of `ms` that cannot be interrupted, such as a precompiled contract. Throws `execution_failed` or `MustMove` if that
   * is too long.
   */
  step(ms: number, what: string): Promise<void> | null {
    const { limits, moveLimits } = this.#slices
    checkStep(ms, what, limits.stepMs)
    if (moveLimits !== null && ms > moveLimits.stepMs) throw new MustMove()
    return this.yieldIfDue()
  }

  /** As `stop`, but always reads the clock. Throws `execution_failed` when the time limit is exceeded. */
  yieldIfDue(): Promise<void> | null {
    const now = this.#clock.monotonic()
    const ranSinceStart = now - this.#sliceStart
    const { limits, moveLimits } = this.#slices
    if (ranSinceStart < limits.sliceMs) return null
    this.#ranMs += ranSinceStart
    if (this.#ranMs >= limits.runMs) throw tooLong(limits)
    if (now - this.#startedAt >= limits.spanMs) throw tooLate(limits)
    if (moveLimits !== null && this.#ranMs >= moveLimits.runMs && this.#slices.hasOtherTasks)
      throw new MustMove()
    return this.#yield()
  }

  /**
   * Lets other tasks run while this one waits for `promise`. The wait counts only towards the span. Rejects as `promise`, if the
   * task is aborted, and with `execution_failed` when the span is exceeded.
   */
  async wait<T>(promise: Promise<T>): Promise<T> {
    this.#ranMs += this.#clock.monotonic() - this.#sliceStart
    let outcome = null as PromiseSettledResult<T> | null
    const { promise: aborted, resolve } = Promise.withResolvers<void>()
    const abort = (): void => resolve()
    this.#signal.addEventListener('abort', abort, { once: true })
    const settled = Promise.allSettled([promise]).then(([result]) => void (outcome = result))
    await this.#pause(this.#signal.aborted ? Promise.resolve() : Promise.race([settled, aborted]))
    this.#signal.removeEventListener('abort', abort)
    this.#sliceStart = this.#clock.monotonic()
    this.#signal.throwIfAborted()
    const { limits } = this.#slices
    if (this.#sliceStart - this.#startedAt >= limits.spanMs) throw tooLate(limits)
    if (outcome === null) throw new Error('the wait of a task ended without a result')
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  async #yield(): Promise<void> {
    // Pause even without other tasks: an abort message arrives only between turns of the event loop.
    await this.#pause(setImmediate())
    this.#sliceStart = this.#clock.monotonic()
    this.#signal.throwIfAborted()
  }
}
