// Accounts.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listAccounts } from './list-accounts.ts'
import { createAccount } from './create-account.ts'
import { getAccount } from './get-account.ts'
import { setProvide } from './set-provide.ts'
import { changeAccount } from './change-account.ts'

export const accountOperations = [
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  setProvide,
] as const satisfies readonly AdminOperation[]
