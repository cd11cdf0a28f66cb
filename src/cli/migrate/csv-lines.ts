// Reads the numbered lines of a CSV file or of a pasted list. Reports a line that is not CSV and continues with the next.
// Tested by src/cli/migrate/key-list.test.ts
import { parse } from 'csv-parse/sync'

export type CsvLine = { readonly line: number; readonly cells: readonly string[] }

/** Contains the line's number, never its text: it may be a secret. */
export type RefusedLine = { readonly line: number; readonly reason: string }

const linesMax = 10_000

/**
 * Commas, semicolons or tabs separate cells, which may be quoted. Skips blank lines and lines that start with #. Throws an Error
 * past 10,000 lines.
 */
export function readCsvLines(text: string): {
  readonly lines: readonly CsvLine[]
  readonly refused: readonly RefusedLine[]
} {
  const lines: CsvLine[] = []
  const refused: RefusedLine[] = []
  const all = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  if (all.length > linesMax) throw new Error(`the list has more than ${linesMax} lines`)
  for (const [at, one] of all.entries()) {
    if (one.trim() === '' || one.trimStart().startsWith('#')) continue
    try {
      const [cells = []] = parse(one, { delimiter: [',', ';', '\t'], trim: true })
      lines.push({ line: at + 1, cells })
    } catch {
      refused.push({ line: at + 1, reason: 'not a line of CSV: check its quotes' })
    }
  }
  return { lines, refused }
}

/** Normalises a column heading: lower case, letters and digits only. `API Key` and `api_key` are the same. */
export function headingOf(cell: string): string {
  return cell.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
