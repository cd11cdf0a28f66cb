// Usage rows as CSV for spreadsheets (RFC 4180).
// Tested by test/admin/admin-usage.test.ts
import type { UsageLine } from '../../../access/usage/usage-lines.ts'

const columns = [
  'accountId',
  'keyId',
  'face',
  'network',
  'method',
  'outcome',
  'reason',
  'status',
  'requests',
  'units',
  'bytesIn',
  'bytesOut',
] as const satisfies readonly (keyof UsageLine)[]

/** With a line of headings; `start` as ISO 8601, UTC. */
export function usageCsv(lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [
    new Date(line.start).toISOString(),
    ...columns.map((column) => String(line[column])),
  ])
  return [['start', ...columns], ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

/** Prefixes a text that a spreadsheet would run as a formula. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
