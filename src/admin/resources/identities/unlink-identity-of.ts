// `DELETE /people/{person}/identity`: unlinks the identity of a person who lost access to it.
// Tested by test/admin/openid.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { idText, person } from '../people/person-schema.ts'

const input = z.strictObject({ person: idText })
const output = z.object({ person })

export const unlinkIdentityOf = {
  id: 'unlinkIdentityOf',
  method: 'DELETE',
  path: '/people/{person}/identity',
  role: 'operator',
  confirmed: true,
  summary: 'Unlink the identity of a person at the OpenID provider; their sessions end.',
  input,
  output,
  state: personState,
  async run({ person: id }, { identity }) {
    await identity.people.get(id)
    await identity.openId.unlink(id, null)
    return { person: await identity.people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
