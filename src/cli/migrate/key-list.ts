// Parses API keys of another service from a CSV file or a pasted list.
// Tested by src/cli/migrate/key-list.test.ts
import { checkKeyName, checkNewKey } from '../../access/accounts/account-rules.ts'
import { createApiSecret } from '../../access/accounts/api-key.ts'
import { type CsvLine, headingOf, type RefusedLine, readCsvLines } from './csv-lines.ts'

export type ListedKey = {
  readonly line: number
  readonly name: string
  readonly key: string
  /** Null: not in the list, so Cairn creates one. */
  readonly secret: string | null
}

export type KeyList = {
  readonly keys: readonly ListedKey[]
  readonly refused: readonly RefusedLine[]
}

type Column = 'name' | 'key' | 'secret'

const headings: Readonly<Record<string, Column>> = {
  name: 'name',
  projectname: 'name',
  keyname: 'name',
  key: 'key',
  apikey: 'key',
  projectid: 'key',
  secret: 'secret',
  apisecret: 'secret',
  apikeysecret: 'secret',
  projectsecret: 'secret',
}

/** Columns of a list without a header row, by number of cells. */
const usual: readonly (readonly Column[])[] = [
  [],
  ['key'],
  ['key', 'secret'],
  ['name', 'key', 'secret'],
]

/** Accepts `key`, `key,secret`, `name,key,secret`, or a header row that names the columns. */
export function parseKeyList(text: string): KeyList {
  const { lines, refused } = readCsvLines(text)
  const header = headerOf(lines[0])
  const found = (header === null ? lines : lines.slice(1)).map((line) => readKey(line, header))
  const keys: ListedKey[] = []
  const wrong: RefusedLine[] = [...refused]
  const seen = new Map<string, number>()
  for (const one of found) {
    if ('reason' in one) {
      wrong.push(one)
      continue
    }
    const earlier = seen.get(one.key)
    if (earlier !== undefined) {
      wrong.push({ line: one.line, reason: `repeats the key of line ${earlier}` })
      continue
    }
    seen.set(one.key, one.line)
    keys.push(one)
  }
  return { keys, refused: wrong.toSorted((one, other) => one.line - other.line) }
}

/** Null: the line is not a header row. */
function headerOf(line: CsvLine | undefined): readonly (Column | null)[] | null {
  if (line === undefined) return null
  const columns = line.cells.map((cell) => headings[headingOf(cell)] ?? null)
  return columns.includes('key') ? columns : null
}

function readKey(
  { line, cells }: CsvLine,
  header: readonly (Column | null)[] | null,
): ListedKey | RefusedLine {
  const columns = header ?? usual[cells.length]
  if (columns === undefined) {
    const reason = `has ${cells.length} columns, expected key; key,secret; name,key,secret; or a header row`
    return { line, reason }
  }
  const cellOf = (column: Column): string => cells[columns.indexOf(column)] ?? ''
  const [name, key, secret] = [cellOf('name'), cellOf('key'), cellOf('secret')]
  if (key === '') return { line, reason: 'has no key' }
  try {
    checkKeyName(name)
    // A new secret replaces a missing one, so that the check covers only the key.
    checkNewKey(key, secret === '' ? createApiSecret() : secret)
  } catch (thrown) {
    return { line, reason: thrown instanceof Error ? thrown.message : String(thrown) }
  }
  return { line, name, key, secret: secret === '' ? null : secret }
}
