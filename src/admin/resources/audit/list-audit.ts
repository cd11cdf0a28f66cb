// `GET /accounts/{account}/audit`: page by page.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { auditQuery, auditRecord } from '../people/person-schema.ts'

const input = z.strictObject({ account: accountId, ...auditQuery })
const output = z.object({ records: z.array(auditRecord) })

export const listAudit = {
  id: 'listAudit',
  method: 'GET',
  path: '/accounts/{account}/audit',
  role: 'owner',
  summary: 'Audit log of an account, newest first.',
  input,
  output,
  async run({ account: accountId, before, limit }, { identity }) {
    const page = { limit, ...(before === undefined ? {} : { before }) }
    return { records: [...(await identity.audit.list({ accountId, ...page }))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
