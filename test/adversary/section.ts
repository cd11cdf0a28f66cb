// Type of a section: one class of attack of the adversary run.
import type { Tally } from './tally.ts'

export type SectionRun = {
  readonly seed: number
  /** The section completes its last attempt within this time, in milliseconds. */
  readonly budgetMs: number
  readonly tally: Tally
  /** Reports a finding to the person who reads the output: what failed, and how to repeat it. */
  readonly report: (finding: string) => void
}

export type Section = {
  readonly name: string
  /** Share of the time of the whole run. */
  readonly share: number
  readonly run: (run: SectionRun) => Promise<void>
}

/** Collects resources to close when a section ends, in the form that test fakes expect; last one first. */
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
