// Usage of an account, of a key and of the server.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getUsage } from './get-usage.ts'
import { getKeyUsage } from './get-key-usage.ts'
import { getAllUsage } from './get-all-usage.ts'
import { listUsage } from './list-usage.ts'
import { listKeyUsage } from './list-key-usage.ts'
import { listAllUsage } from './list-all-usage.ts'
import { exportUsage } from './export-usage.ts'
import { exportAllUsage } from './export-all-usage.ts'
import { followUsage } from './follow-usage.ts'
import { followAllUsage } from './follow-all-usage.ts'

export const usageOperations = [
  getUsage,
  getKeyUsage,
  listKeyUsage,
  getAllUsage,
  listUsage,
  listAllUsage,
  exportUsage,
  exportAllUsage,
  followUsage,
  followAllUsage,
] as const satisfies readonly AdminOperation[]
