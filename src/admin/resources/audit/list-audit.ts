// `GET /accounts/{account}/audit`: records in pages, filtered by person, operation, time and text.
// Tested by test/admin/admin-audit.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { auditQuery, auditRecord, filterOf } from './audit-schema.ts'

const output = z.object({ records: z.array(auditRecord) })

export const listAudit = {
  id: 'listAudit',
  method: 'GET',
  path: '/accounts/{account}/audit',
  role: 'owner',
  summary: 'Audit log of an account, newest first.',
  input: auditQuery,
  output,
  async run({ before, limit, ...sent }, { identity, auditedActions }) {
    const filter = filterOf(sent, auditedActions)
    return { records: [...(await identity.audit.list({ ...filter, before, limit }))] }
  },
} satisfies JsonOperation<typeof auditQuery, typeof output>
