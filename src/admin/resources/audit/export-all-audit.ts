// `GET /audit/export`: the records that the filter selects, as a document.
// Tested by test/admin/admin-audit.test.ts
import type { TextOperation } from '../../admin-operation.ts'
import { auditDocument } from './audit-document.ts'
import { allAuditExportQuery, filterOf } from './audit-schema.ts'

export const exportAllAudit = {
  id: 'exportAllAudit',
  method: 'GET',
  path: '/audit/export',
  role: 'operator',
  summary: 'Audit log of the whole server as CSV or JSON, at most 10,000 records.',
  form: 'text',
  input: allAuditExportQuery,
  async run({ form, before, ...sent }, { identity, auditedActions }) {
    const filter = filterOf(sent, auditedActions)
    return await auditDocument(identity.audit, filter, { before, form })
  },
} satisfies TextOperation<typeof allAuditExportQuery>
