// Parses allowlists of API keys from CSV or JSON. Validates each entry separately, so that a wrong entry does not stop the others.
// Tested by src/cli/migrate/allowlist-file.test.ts
import { allowlistForms } from '../../access/accounts/parse-key-settings.ts'
import { type CsvLine, headingOf, readCsvLines } from './csv-lines.ts'

export type AllowlistName =
  | 'allowAddresses'
  | 'allowMethods'
  | 'allowOrigins'
  | 'allowUserAgents'
  | 'allowIps'

/** `place`: `line 3`, or the path in the JSON. */
export type ListedEntry = {
  readonly place: string
  /** Key, ID or name, as in the file. */
  readonly key: string
  readonly list: AllowlistName
  readonly entry: string
}

export type RefusedEntry = { readonly place: string; readonly reason: string }

export type AllowlistFile = {
  readonly entries: readonly ListedEntry[]
  readonly refused: readonly RefusedEntry[]
}

const lists: Readonly<Record<string, AllowlistName>> = {
  address: 'allowAddresses',
  contract: 'allowAddresses',
  contractaddress: 'allowAddresses',
  method: 'allowMethods',
  apirequest: 'allowMethods',
  apirequestmethod: 'allowMethods',
  origin: 'allowOrigins',
  useragent: 'allowUserAgents',
  ip: 'allowIps',
  ipaddress: 'allowIps',
}
const listNames = 'address, method, origin, user agent, ip'

const entriesMax = 100_000
const entryCharsMax = 256

/** Accepts lines `key,list,entry`, or JSON `{"<key>": {"addresses": […], "methods": […], …}}`. Throws an Error for other JSON. */
export function parseAllowlistFile(text: string): AllowlistFile {
  const isJson = /^\s*[{[]/.test(text.replace(/^\uFEFF/, ''))
  const found = isJson ? readJson(text) : readCsv(text)
  if (found.length > entriesMax) throw new Error(`the list has more than ${entriesMax} entries`)
  return {
    entries: found.filter((one) => 'entry' in one),
    refused: found.filter((one) => 'reason' in one),
  }
}

function readCsv(text: string): readonly (ListedEntry | RefusedEntry)[] {
  const { lines, refused } = readCsvLines(text)
  const [first, ...rest] = lines
  const isHeader = first !== undefined && headingOf(first.cells[0] ?? '').endsWith('key')
  const wrong = refused.map(({ line, reason }) => ({ place: `line ${line}`, reason }))
  return [...(isHeader ? rest : lines).map(readLine), ...wrong]
}

function readLine({ line, cells }: CsvLine): ListedEntry | RefusedEntry {
  const place = `line ${line}`
  const [key = '', list = '', entry = '', ...more] = cells
  if (key === '' || entry === '' || more.length > 0) {
    return { place, reason: 'expected key,list,entry' }
  }
  return readEntry(place, key, list, entry)
}

function readEntry(
  place: string,
  key: string,
  list: string,
  entry: string,
): ListedEntry | RefusedEntry {
  const name = lists[headingOf(list)] ?? lists[headingOf(list).replace(/e?s$/, '')]
  if (name === undefined) {
    const shown = JSON.stringify(list.slice(0, 40))
    return { place, reason: `unknown list ${shown}, expected one of ${listNames}` }
  }
  const { isGood, expected } = allowlistForms[name]
  // Omit the entry: it may be a key in the wrong column.
  if (entry.length > entryCharsMax || !isGood(entry)) {
    return { place, reason: `the entry is not ${expected}, in at most ${entryCharsMax} characters` }
  }
  return { place, key, list: name, entry }
}

function readJson(text: string): readonly (ListedEntry | RefusedEntry)[] {
  const form = '{"<key>": {"addresses": […], "methods": […], "origins": […], "user_agents": […]}}'
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new Error('the allowlists are not valid JSON', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`the allowlists must be ${form}`)
  }
  return Object.entries(value).flatMap(([key, all], at) => {
    // Omit the member's name: it may be a key.
    const place = `member ${at + 1}`
    if (typeof all !== 'object' || all === null || Array.isArray(all)) {
      return [{ place, reason: 'expected an object of lists' }]
    }
    return Object.entries(all as object).flatMap(([list, entries]) => {
      const inner = `${place}, ${list.slice(0, 40)}`
      if (!Array.isArray(entries)) return [{ place: inner, reason: 'expected a list of texts' }]
      return entries.map((entry: unknown, index) => {
        const itself = `${inner}, entry ${index + 1}`
        if (typeof entry !== 'string') return { place: itself, reason: 'expected a text' }
        return readEntry(itself, key, list, entry)
      })
    })
  })
}
