// `PATCH /me`: changes the caller's name.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { actingPerson } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { nameText, person } from '../people/person-schema.ts'

const input = z.strictObject({ name: nameText })
const output = z.object({ person })

export const changeMe = {
  id: 'changeMe',
  method: 'PATCH',
  path: '/me',
  role: 'signed-in',
  summary: 'Change your name.',
  input,
  output,
  state: (_input, call) => personState({ person: actingPerson(call).id }, call),
  async run({ name }, call) {
    const { id } = actingPerson(call)
    await call.identity.people.rename(id, name)
    return { person: await call.identity.people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
