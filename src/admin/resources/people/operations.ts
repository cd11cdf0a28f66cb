// `/people`: everyone who can sign in, for operators.
// Tested by test/admin/admin.test.ts
import type { AdminOperation } from '../../admin-operation.ts'
import { listPeople } from './list-people.ts'
import { getPerson } from './get-person.ts'
import { changePerson } from './change-person.ts'
import { resetTotp } from './reset-totp.ts'
import { setPassword } from './set-password.ts'
import { endSessionsOf } from './end-sessions-of.ts'

export const peopleOperations = [
  listPeople,
  getPerson,
  changePerson,
  resetTotp,
  setPassword,
  endSessionsOf,
] as const satisfies readonly AdminOperation[]
