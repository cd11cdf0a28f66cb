// Keys of IPNS names that Cairn stores for accounts.
// Tested by test/admin/ipns-keys.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { exportIpnsKey } from './export-ipns-key.ts'
import { listIpnsKeys } from './list-ipns-keys.ts'

export const ipnsKeyOperations = [
  listIpnsKeys,
  exportIpnsKey,
] as const satisfies readonly AdminOperation[]
