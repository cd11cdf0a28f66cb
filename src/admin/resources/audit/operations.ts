// The audit log of an account and of the server.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { exportAllAudit } from './export-all-audit.ts'
import { exportAudit } from './export-audit.ts'
import { listAllAudit } from './list-all-audit.ts'
import { listAudit } from './list-audit.ts'

export const auditOperations = [
  listAudit,
  exportAudit,
  listAllAudit,
  exportAllAudit,
] as const satisfies readonly AdminOperation[]
