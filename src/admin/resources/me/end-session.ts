// `DELETE /me/sessions/{session}`: ends one session of the caller.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { idText } from '../people/person-schema.ts'

const input = z.strictObject({ session: idText })
const output = z.object({})

export const endSession = {
  id: 'endSession',
  method: 'DELETE',
  path: '/me/sessions/{session}',
  role: 'signed-in',
  summary: 'End one of your sessions.',
  input,
  output,
  async run({ session }, call) {
    const { id, session: current } = actingPerson(call)
    await call.identity.sessions.end(session, id)
    if (session === current) call.session.end()
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
