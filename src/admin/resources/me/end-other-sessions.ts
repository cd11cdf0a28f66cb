// `DELETE /me/sessions`: ends all sessions of the caller except the current one.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({ ended: z.int() })

export const endOtherSessions = {
  id: 'endOtherSessions',
  method: 'DELETE',
  path: '/me/sessions',
  role: 'signed-in',
  summary: 'End all your sessions but this one.',
  input,
  output,
  async run(_input, call) {
    const { id, session } = actingPerson(call)
    return { ended: await call.identity.sessions.endOthers(id, session) }
  },
} satisfies JsonOperation<typeof input, typeof output>
