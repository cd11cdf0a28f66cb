// Counts the outcome of each attempt by class and by the label of the answer.

/**
 * `right`: the answer is correct. `refused`: an error. `wrong`: an incorrect answer. A wrong answer is a failure of Cairn with the
 * labels `proof` and `stored`; other labels state that nothing was proved.
 */
export type Verdict = 'right' | 'refused' | 'wrong'

type Row = {
  readonly section: string
  readonly label: string
  readonly counts: Record<Verdict, number>
}

export type Tally = {
  /** `label`: as `x-cairn-verified`; `stored` for acknowledged content; `-` for refusals. */
  add(section: string, label: string, verdict: Verdict, times?: number): void
  /** Answers that break a guarantee: wrong with the label proof or stored. */
  broken(): number
  /** Markdown: one row for each section and label. */
  table(): string
}

/** Labels with which no answer may be wrong. */
const promised: ReadonlySet<string> = new Set(['proof', 'stored', 'head'])

export function createTally(): Tally {
  const rows = new Map<string, Row>()
  return {
    add(section, label, verdict, times = 1) {
      const key = `${section}\n${label}`
      const row = rows.get(key) ?? { section, label, counts: { right: 0, refused: 0, wrong: 0 } }
      row.counts[verdict] += times
      rows.set(key, row)
    },
    broken: () =>
      [...rows.values()].reduce(
        (sum, { label, counts }) => sum + (promised.has(label) ? counts.wrong : 0),
        0,
      ),
    table() {
      const lines = [...rows.values()].map(({ section, label, counts }) => {
        const { right, refused, wrong } = counts
        const cells = [section, label, right + refused + wrong, right, refused, wrong]
        return `| ${cells.join(' | ')} |`
      })
      const head =
        '| Attack | Label | Tried | Right | Refused | Wrong |\n|---|---|---:|---:|---:|---:|'
      return [head, ...lines].join('\n')
    },
  }
}
