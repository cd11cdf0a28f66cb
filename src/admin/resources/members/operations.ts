// Members of an account.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listMembers } from './list-members.ts'
import { addMember } from './add-member.ts'
import { changeMember } from './change-member.ts'
import { removeMember } from './remove-member.ts'
import { leaveAccount } from './leave-account.ts'

export const memberOperations = [
  listMembers,
  addMember,
  changeMember,
  removeMember,
  leaveAccount,
] as const satisfies readonly AdminOperation[]
