// `GET /people/{person}`: for operators.
// Tested by test/admin-people.test.ts
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
  run({ person: id }, { identity }) {
    const { people, memberships, sessions } = identity
    return {
      person: people.get(id),
      accounts: memberships
        .ofPerson(id)
        .map(({ accountId, accountName, role }) => ({ id: accountId, name: accountName, role })),
      sessions: sessions.list(id).map((one) => ({ ...one, isThis: false })),
    }
  },
} satisfies JsonOperation<typeof input, typeof output>
