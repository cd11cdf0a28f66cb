// `GET /people/{person}`: one person, for operators.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountRole, idText, person, session } from './person-schema.ts'

const input = z.strictObject({ person: idText })
const output = z.object({
  person,
  accounts: z.array(z.object({ id: z.string(), name: z.string(), role: accountRole })),
  sessions: z.array(session),
})

export const getPerson = {
  id: 'getPerson',
  method: 'GET',
  path: '/people/{person}',
  role: 'operator',
  summary: 'One person, their accounts and sessions.',
  input,
  output,
  async run({ person: id }, { identity }) {
    const { people, memberships, sessions } = identity
    const found = await people.get(id)
    const accounts = await memberships.ofPerson(id)
    const open = await sessions.list(id)
    return {
      person: found,
      accounts: accounts.map(({ accountId, accountName, role }) => ({
        id: accountId,
        name: accountName,
        role,
      })),
      sessions: open.map((one) => ({ ...one, isThis: false })),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
