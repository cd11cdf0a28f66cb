// `POST /people/{person}/totp/reset`: removes authenticator and passkeys, so the password is sufficient until the person enrols
// again. Ends their sessions. Requires a confirmed session.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { idText, person } from './person-schema.ts'

const input = z.strictObject({ person: idText })
const output = z.object({ person })

export const resetTotp = {
  id: 'resetTotp',
  method: 'POST',
  path: '/people/{person}/totp/reset',
  role: 'operator',
  confirmed: true,
  summary: 'Remove a person’s authenticator and passkeys after they were lost.',
  input,
  output,
  state: personState,
  async run({ person: id }, { identity }) {
    await identity.secondFactor.reset(id)
    return { person: await identity.people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
