// Records of the audit log as one document: CSV for spreadsheets, or JSON.
// Tested by test/admin/admin-audit.test.ts
import type { AuditLog, AuditRecord } from '../../../access/people/audit-log.ts'
import type { AuditFilter } from '../../../tables/audit.ts'
import type { TextReply } from '../../admin-operation.ts'
import { csvText } from '../../csv-text.ts'

const recordsMax = 10_000
/** Maximum characters of a document, because it is built in memory. */
const charactersMax = 16_000_000
const pageSize = 1_000

/** Newest first, up to the first of the two limits. `before`: an ID, to continue a document that reached one. */
export async function auditDocument(
  audit: Pick<AuditLog, 'list'>,
  filter: AuditFilter,
  { before, form }: { readonly before: number; readonly form: 'csv' | 'json' },
): Promise<TextReply> {
  const records: AuditRecord[] = []
  let characters = 0
  for (let next: number | null = before; next !== null;) {
    const page: readonly AuditRecord[] = await audit.list({
      ...filter,
      before: next,
      limit: Math.min(pageSize, recordsMax - records.length),
    })
    records.push(...page)
    characters += JSON.stringify(page).length
    const isOver = records.length >= recordsMax || characters >= charactersMax
    next = page.length < pageSize || isOver ? null : (page.at(-1)?.id ?? null)
  }
  if (form === 'csv') return { type: 'text/csv', fileName: 'audit.csv', text: csvOf(records) }
  const shown = records.map((record) => ({ ...record, time: isoTime(record) }))
  return {
    type: 'application/json',
    fileName: 'audit.json',
    text: JSON.stringify({ records: shown }, null, 2),
  }
}

const columns = [
  'id',
  'time',
  'actor',
  'actorName',
  'accountId',
  'action',
  'target',
  'targetName',
  'previous',
  'changes',
] as const

function csvOf(records: readonly AuditRecord[]): string {
  const rows = records.map((record) => [
    String(record.id),
    isoTime(record),
    record.actor,
    record.actorName,
    record.accountId ?? '',
    record.action,
    record.target ?? '',
    record.targetName ?? '',
    record.previous === null ? '' : JSON.stringify(record.previous),
    JSON.stringify(record.changes),
  ])
  return csvText([columns, ...rows])
}

function isoTime({ time }: AuditRecord): string {
  return new Date(time).toISOString()
}
