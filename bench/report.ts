// Results of a run: lines on the terminal, and rows for docs/reference/benchmarks.md.
import { describe, failuresOf, type Measured } from './measure.ts'

/** `goal`: a minimum or a maximum. */
type Goal = { readonly atLeast: number } | { readonly atMost: number }

export type Row = {
  readonly section: string
  /** Name of the figure, also the key in bench/causes.ts. */
  readonly name: string
  readonly measured: string
  readonly goal: string | null
  /** Null: no goal. */
  readonly met: boolean | null
}

export type Report = {
  readonly rows: readonly Row[]
  readonly failures: number
  section(name: string): void
  /** Adds the results of a target over all rounds. Failures are counted, and the first one is shown. */
  target(name: string, measured: readonly Measured[]): void
  /** Adds one number with its unit, compared with the goal if there is one. */
  figure(name: string, value: number, unit: string, goal?: Goal): void
  /** Adds a result of more than one number. */
  text(name: string, measured: string): void
  /** Adds a remark about the run. */
  note(text: string): void
}

export function createReport(print: (line: string) => void): Report {
  const rows: Row[] = []
  let section = ''
  let failures = 0
  const add = (row: Omit<Row, 'section'>) => {
    rows.push({ section, ...row })
    const verdict = row.met === null ? '' : `   goal ${row.goal}: ${row.met ? 'met' : 'NOT MET'}`
    print(`  ${row.name.padEnd(58)} ${row.measured}${verdict}`)
  }
  return {
    rows,
    get failures() {
      return failures
    },
    section(name) {
      section = name
      print(`\n${name}`)
    },
    target(name, measured) {
      add({ name, measured: describe(measured), goal: null, met: null })
      const failed = measured.reduce((total, one) => total + one.failures, 0)
      if (failed === 0) return
      failures += failed
      print(`    first failure: ${failuresOf(measured)}`)
    },
    figure(name, value, unit, goal) {
      const measured = `${show(value)}${unit}`
      if (goal === undefined) return add({ name, measured, goal: null, met: null })
      const least = 'atLeast' in goal
      const met = least ? value >= goal.atLeast : value <= goal.atMost
      const text = least ? `>= ${show(goal.atLeast)}${unit}` : `<= ${show(goal.atMost)}${unit}`
      add({ name, measured, goal: text, met })
    },
    text(name, measured) {
      add({ name, measured, goal: null, met: null })
    },
    note(text) {
      print(`  ${text}`)
    },
  }
}

function show(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : 2)
}
