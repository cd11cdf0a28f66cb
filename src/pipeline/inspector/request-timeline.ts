// Where the time of one request went: stages from its arrival to its reply, and inside them what reads took. Looks into
// the store and checks of hashes are many and short, so they are added up.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { Clock } from '../../base/clock.ts'
import type { EndOfStep, ReadStep } from '../../content/read-trace.ts'

/**
 * One after the other: `auth`: key and gates; `body`: the request's body; `parse`: envelope, params, lists; `admit`:
 * units and rates; `run`: the operation; `reply`: until the answer was given to the connection.
 */
export type RequestStage = 'auth' | 'body' | 'parse' | 'admit' | 'run' | 'reply'

/** Times are milliseconds; `startMs` since the arrival. */
export type TimelineStep = {
  readonly step: RequestStage | 'kept' | ReadStep
  /** The upstream that was asked; empty elsewhere. */
  readonly name: string
  readonly startMs: number
  /** Of steps that were added up: all of them together. */
  readonly ms: number
  readonly count: number
  /** One word; `open`: it had not ended when the request did. */
  readonly outcome: string
}

type Growing = { -readonly [Member in keyof TimelineStep]: TimelineStep[Member] }

const stepsMax = 48
const nameCharsMax = 128

export class RequestTimeline {
  readonly #clock: Clock
  readonly #arrived: number
  readonly #steps: Growing[] = []
  /** Steps beyond the most that are shown. */
  #left = 0
  /** The end of the last stage. */
  #at: number

  /** `arrived`: on the monotonic clock. */
  constructor(clock: Clock, arrived: number) {
    this.#clock = clock
    this.#arrived = arrived
    this.#at = arrived
  }

  /** The stage that began with the end of the last one is over. */
  reached(stage: RequestStage, outcome = 'ok'): void {
    const now = this.#clock.monotonic()
    this.#push({ step: stage, name: '', ...this.#between(this.#at, now), count: 1, outcome })
    this.#at = now
  }

  /** An answer was at hand. */
  kept(): void {
    this.#add('kept', this.#clock.monotonic(), 0, 'held')
  }

  /** As a ReadTrace. */
  begin(step: ReadStep, name: string): EndOfStep {
    const from = this.#clock.monotonic()
    if (step !== 'source') {
      return (outcome) => this.#add(step, from, this.#clock.monotonic() - from, outcome)
    }
    const shown = { step, name: name.slice(0, nameCharsMax), count: 1, outcome: 'open' }
    const asked: Growing = { ...shown, ...this.#between(from, from) }
    this.#push(asked)
    return (outcome) => {
      if (asked.outcome !== 'open') return
      asked.ms = rounded(this.#clock.monotonic() - from)
      asked.outcome = outcome
    }
  }

  get totalMs(): number {
    return rounded(this.#clock.monotonic() - this.#arrived)
  }

  /** In the order of their beginning. `left`: how many more there were. */
  read(): { readonly steps: readonly TimelineStep[]; readonly left: number } {
    const steps = this.#steps.map((step) => ({ ...step, ms: rounded(step.ms) }))
    return { steps: steps.toSorted((a, b) => a.startMs - b.startMs), left: this.#left }
  }

  /** Many of one kind and outcome are one step. */
  #add(step: 'kept' | ReadStep, from: number, ms: number, outcome: string): void {
    const same = this.#steps.find((one) => one.step === step && one.outcome === outcome)
    if (same === undefined) {
      this.#push({ step, name: '', ...this.#between(from, from), ms, count: 1, outcome })
      return
    }
    same.count++
    same.ms += ms
  }

  #push(step: Growing): void {
    if (this.#steps.length < stepsMax) this.#steps.push(step)
    else this.#left++
  }

  #between(from: number, to: number): { readonly startMs: number; readonly ms: number } {
    return { startMs: rounded(from - this.#arrived), ms: rounded(to - from) }
  }
}

/** To the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
