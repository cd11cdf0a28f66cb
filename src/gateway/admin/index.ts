// All admin operations. Order is that of the OpenAPI document.
// Tested by test/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { listAccounts } from './list-accounts.ts'

export const adminOperations = [listAccounts] as readonly AdminOperation[]
