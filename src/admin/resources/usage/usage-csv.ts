// Usage rows as CSV for spreadsheets (RFC 4180).
// Tested by test/admin/admin-usage.test.ts
import type { UsageLine } from '../../../access/usage/usage-lines.ts'
import { csvText } from '../../csv-text.ts'

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

/** With a header row; `start` in ISO 8601, UTC. */
export function usageCsv(lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [
    new Date(line.start).toISOString(),
    ...columns.map((column) => String(line[column])),
  ])
  return csvText([['start', ...columns], ...rows])
}
