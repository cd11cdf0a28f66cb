// One class of attack of the adversary run.
import type { Tally } from './tally.ts'

export type SectionRun = {
  readonly seed: number
  /** The section ends its last try after so many milliseconds. */
  readonly budgetMs: number
  readonly tally: Tally
  /** A finding for the person who reads the output: what failed, and how to repeat it. */
  readonly report: (finding: string) => void
}

export type Section = {
  readonly name: string
  /** Share of the time of the whole run. */
  readonly share: number
  readonly run: (run: SectionRun) => Promise<void>
}

/** Things to close when a section ends, in the form that test fakes take; the last one first. */
export function createScope(): {
  after(close: () => unknown): void
  close(): Promise<void>
} {
  const closers: (() => unknown)[] = []
  return {
    after: (close) => void closers.push(close),
    async close() {
      for (const close of closers.reverse()) await close()
    },
  }
}
