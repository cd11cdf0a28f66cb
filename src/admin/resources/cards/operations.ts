// The billing card of an account.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { getCard } from './get-card.ts'
import { beginCard } from './begin-card.ts'
import { refreshCard } from './refresh-card.ts'
import { removeCard } from './remove-card.ts'
import { markCard } from './mark-card.ts'

export const cardOperations = [
  getCard,
  beginCard,
  refreshCard,
  removeCard,
  markCard,
] as const satisfies readonly AdminOperation[]
