// `POST /people/{person}/sessions/end`: ends all sessions of the person; tokens stay valid.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { idText } from './person-schema.ts'

const input = z.strictObject({ person: idText })
const output = z.object({ ended: z.int() })

export const endSessionsOf = {
  id: 'endSessionsOf',
  method: 'POST',
  path: '/people/{person}/sessions/end',
  role: 'operator',
  summary: 'Sign a person out everywhere.',
  input,
  output,
  state: personState,
  async run({ person: id }, { identity }) {
    await identity.people.get(id)
    return { ended: await identity.sessions.endOthers(id, null) }
  },
} satisfies JsonOperation<typeof input, typeof output>
