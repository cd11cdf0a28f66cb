// Lines of a CSV file or of a pasted list, each with its number. A line that is not CSV is refused alone, and the others are read.
// Tested by src/cli/migrate/key-list.test.ts
import { parse } from 'csv-parse/sync'

export type CsvLine = { readonly line: number; readonly cells: readonly string[] }

/** Names the line, never its content: it may be a secret. */
export type RefusedLine = { readonly line: number; readonly reason: string }

const linesMax = 10_000

/**
 * Cells are separated by commas, semicolons or tabs, and may be quoted. Blank lines and lines that start with # are
 * skipped. Throws a sentence past 10 000 lines.
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

/** Heading of a column without case, spaces and signs: `API Key` and `api_key` are the same. */
export function headingOf(cell: string): string {
  return cell.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
