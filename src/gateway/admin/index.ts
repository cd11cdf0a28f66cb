// All admin operations. Order is that of the OpenAPI document.
// Tested by test/admin.test.ts
import type { AdminOperation } from './admin-operation.ts'
import { beginCard } from './begin-card.ts'
import { getCard } from './get-card.ts'
import { listAccounts } from './list-accounts.ts'
import { markCard } from './mark-card.ts'
import { refreshCard } from './refresh-card.ts'
import { removeCard } from './remove-card.ts'

export const adminOperations = [
  listAccounts,
  getCard,
  beginCard,
  refreshCard,
  removeCard,
  markCard,
] as readonly AdminOperation[]
