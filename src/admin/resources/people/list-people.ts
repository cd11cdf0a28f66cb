// `GET /people`: people in pages, by email.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { person } from './person-schema.ts'

const input = z.strictObject({
  /** An email: returns people after it. */
  after: z.string().max(254).optional(),
  limit: z.coerce.number<number>().int().min(1).max(1000).default(1000),
})
const output = z.object({ people: z.array(person) })

export const listPeople = {
  id: 'listPeople',
  method: 'GET',
  path: '/people',
  role: 'operator',
  summary: 'All people, by email.',
  input,
  output,
  async run({ after = '', limit }, { identity }) {
    return { people: [...(await identity.people.list({ after, limit }))] }
  },
} satisfies JsonOperation<typeof input, typeof output>
