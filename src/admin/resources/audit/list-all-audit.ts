// `GET /audit`: records in pages, filtered by person, operation, account, time and text.
// Tested by test/admin/admin-audit.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { allAuditQuery, auditRecord, filterOf } from './audit-schema.ts'

const output = z.object({ records: z.array(auditRecord) })

export const listAllAudit = {
  id: 'listAllAudit',
  method: 'GET',
  path: '/audit',
  role: 'operator',
  summary: 'Audit log of the whole server, newest first.',
  input: allAuditQuery,
  output,
  async run({ before, limit, ...sent }, { identity, auditedActions }) {
    const filter = filterOf(sent, auditedActions)
    return { records: [...(await identity.audit.list({ ...filter, before, limit }))] }
  },
} satisfies JsonOperation<typeof allAuditQuery, typeof output>
