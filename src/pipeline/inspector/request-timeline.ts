// Time of one request: stages from arrival to reply, and the reads inside them. Store lookups and hash checks are
// many and short, so they are summed.
// Tested by src/pipeline/inspector/inspector.test.ts
import type { Clock } from '../../base/clock.ts'
import type { EndOfStep, ReadStep } from '../../content/ref.ts'

/**
 * Stages in this order. `auth`: key and allowlists; `body`: reading the request body; `parse`: envelope, params, lists; `admit`:
 * units and rates; `run`: the operation; `reply`: until the reply was written to the connection.
 */
export type RequestStage = 'auth' | 'body' | 'parse' | 'admit' | 'run' | 'reply'

/** Times are milliseconds; `startMs` is relative to the arrival. */
export type TimelineStep = {
  readonly step: RequestStage | 'kept' | ReadStep
  /** Name of the queried upstream; otherwise empty. */
  readonly name: string
  readonly startMs: number
  /** Duration; for combined steps, the total. */
  readonly ms: number
  readonly count: number
  /** One word; `open`: the step had not ended when the request did. */
  readonly outcome: string
}

type Growing = { -readonly [Member in keyof TimelineStep]: TimelineStep[Member] }

const stepsMax = 48
const nameCharsMax = 128

export class RequestTimeline {
  readonly #clock: Clock
  readonly #arrived: number
  readonly #steps: Growing[] = []
  /** Number of steps beyond the limit. */
  #left = 0
  /** End of the last stage. */
  #at: number

  /** `arrived`: time on the monotonic clock. */
  constructor(clock: Clock, arrived: number) {
    this.#clock = clock
    this.#arrived = arrived
    this.#at = arrived
  }

  /** Ends the stage that began when the last one ended. */
  reached(stage: RequestStage, outcome = 'ok'): void {
    const now = this.#clock.monotonic()
    this.#push({ step: stage, name: '', ...this.#between(this.#at, now), count: 1, outcome })
    this.#at = now
  }

  /** Records that the answer was in the cache. */
  recordCached(): void {
    this.#add('kept', this.#clock.monotonic(), 0, 'held')
  }

  /** Implements ReadTrace. */
  begin(step: ReadStep, name: string): EndOfStep {
    const from = this.#clock.monotonic()
    if (step !== 'source') {
      return (outcome) => this.#add(step, from, this.#clock.monotonic() - from, outcome)
    }
    const shown = { step, name: name.slice(0, nameCharsMax), count: 1, outcome: 'open' }
    const growing: Growing = { ...shown, ...this.#between(from, from) }
    this.#push(growing)
    return (outcome) => {
      if (growing.outcome !== 'open') return
      growing.ms = rounded(this.#clock.monotonic() - from)
      growing.outcome = outcome
    }
  }

  get totalMs(): number {
    return rounded(this.#clock.monotonic() - this.#arrived)
  }

  /** In the order of their start. `left`: number of omitted steps. */
  read(): { readonly steps: readonly TimelineStep[]; readonly left: number } {
    const steps = this.#steps.map((step) => ({ ...step, ms: rounded(step.ms) }))
    return { steps: steps.toSorted((a, b) => a.startMs - b.startMs), left: this.#left }
  }

  /** Combines steps of the same kind and outcome. */
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

/** Rounded to microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
