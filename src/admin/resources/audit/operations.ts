// The audit log of an account and of the server.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listAudit } from './list-audit.ts'
import { listAllAudit } from './list-all-audit.ts'

export const auditOperations = [
  listAudit,
  listAllAudit,
] as const satisfies readonly AdminOperation[]
