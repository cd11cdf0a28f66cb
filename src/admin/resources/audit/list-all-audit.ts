// `GET /audit`: page by page.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { auditQuery, auditRecord } from '../people/person-schema.ts'

const input = z.strictObject({ ...auditQuery })
const output = z.object({ records: z.array(auditRecord) })

export const listAllAudit = {
  id: 'listAllAudit',
  method: 'GET',
  path: '/audit',
  role: 'operator',
  summary: 'Audit log of the whole server, newest first.',
  input,
  output,
  async run({ before, limit }, { identity }) {
    const page = { limit, ...(before === undefined ? {} : { before }) }
    return { records: [...(await identity.audit.list(page))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
