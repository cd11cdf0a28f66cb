// `GET /me/sessions`: sessions of the caller, last used first.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { session } from '../people/person-schema.ts'

const input = z.strictObject({})
const output = z.object({ sessions: z.array(session) })

export const listSessions = {
  id: 'listSessions',
  method: 'GET',
  path: '/me/sessions',
  role: 'signed-in',
  summary: 'Where you are signed in.',
  input,
  output,
  async run(_input, call) {
    const { id, session: current } = actingPerson(call)
    const sessions = await call.identity.sessions.list(id)
    return { sessions: sessions.map((one) => ({ ...one, isThis: one.id === current })) }
  },
} satisfies JsonOperation<typeof input, typeof output>
