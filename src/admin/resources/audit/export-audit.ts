// `GET /accounts/{account}/audit/export`: the records that the filter selects, as a document.
// Tested by test/admin/admin-audit.test.ts
import type { TextOperation } from '../../admin-operation.ts'
import { auditDocument } from './audit-document.ts'
import { auditExportQuery, filterOf } from './audit-schema.ts'

export const exportAudit = {
  id: 'exportAudit',
  method: 'GET',
  path: '/accounts/{account}/audit/export',
  role: 'owner',
  summary: 'Audit log of an account as CSV or JSON, at most 10,000 records.',
  form: 'text',
  input: auditExportQuery,
  async run({ form, before, ...sent }, { identity, auditedActions }) {
    const filter = filterOf(sent, auditedActions)
    return await auditDocument(identity.audit, filter, { before, form })
  },
} satisfies TextOperation<typeof auditExportQuery>
