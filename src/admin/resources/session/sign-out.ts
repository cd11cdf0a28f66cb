// `DELETE /session`: ends the current session.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'

const input = z.strictObject({})
const output = z.object({})

export const signOut = {
  id: 'signOut',
  method: 'DELETE',
  path: '/session',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'End this session.',
  input,
  output,
  async run(_input, call) {
    const { session } = actingPerson(call)
    if (session !== null) await call.identity.sessions.endOne(session)
    call.session.end()
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
