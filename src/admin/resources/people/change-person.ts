// `PATCH /people/{person}`: absent members remain unchanged. Ends the person's sessions if their rights change. Promoting or
// enabling a
// person requires a confirmed session.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { requireConfirmed } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { idText, nameText, person } from './person-schema.ts'

const input = z.strictObject({
  person: idText,
  name: nameText.optional(),
  disabled: z.boolean().optional(),
  isOperator: z.boolean().optional(),
})
const output = z.object({ person })

export const changePerson = {
  id: 'changePerson',
  method: 'PATCH',
  path: '/people/{person}',
  role: 'operator',
  summary:
    'Disable or enable a person, make them an operator or not, rename them; one operator stays.',
  input,
  output,
  state: personState,
  async run({ person: id, name, disabled, isOperator }, call) {
    const { people } = call.identity
    if (isOperator === true || disabled === false) requireConfirmed(call)
    await people.get(id)
    if (name !== undefined) await people.rename(id, name)
    if (isOperator !== undefined) await people.setOperator(id, isOperator)
    if (disabled !== undefined) await people.setDisabled(id, disabled)
    return { person: await people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
