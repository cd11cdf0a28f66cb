// Describes an issue of the schema library in Cairn's words: the expected value.
// Tested by src/config/load.test.ts
import type { z } from 'zod'
import { unitNameOf } from './unit.ts'

type Issue = z.ZodError['issues'][number]

const kinds: Readonly<Record<string, string>> = {
  number: 'a whole number',
  int: 'a whole number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'its members, as "name: value" lines',
  record: 'its members, as "name: value" lines',
}

/** Lower case, no full stop. `value`: as given. A message in the schema takes precedence. */
export function describeIssue(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_key') return lowerFirst(issue.issues[0]?.message ?? issue.message)
  if (!/^(Invalid|Too) /.test(issue.message)) return lowerFirst(issue.message)
  if (issue.code === 'invalid_type') {
    const expected = kinds[issue.expected] ?? issue.expected
    const unit = expected === kinds['int'] ? unitNameOf(String(issue.path.at(-1))) : null
    return `expected ${expected}${unit === null ? '' : ` of ${unit}`}${withoutWhat(issue.expected, value)}`
  }
  if (issue.code === 'invalid_value') return `expected ${oneOf(issue.values.map(String))}`
  if (issue.code === 'too_small') {
    return `expected at least ${issue.minimum}${unitOf(issue.origin)}`
  }
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}${unitOf(issue.origin)}`
  return lowerFirst(issue.message)
}

/** `a, b or c` */
export function oneOf(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`
}

function withoutWhat(expected: string, value: unknown): string {
  if (kinds[expected] !== kinds['int'] || typeof value !== 'string') return ''
  if (/^\d+$/.test(value)) return ' without quotes'
  return /^\d[\d_',. ]*\d$/.test(value) ? ' without separators' : ''
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
