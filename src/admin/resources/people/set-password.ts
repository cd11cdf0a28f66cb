// `POST /people/{person}/password`: only at the server's command line, for a person who forgot the password.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { personState } from '../../audited-states.ts'
import { idText, passwordText, person } from './person-schema.ts'

const input = z.strictObject({ person: idText, newPassword: passwordText })
const output = z.object({ person })

export const setPassword = {
  id: 'setPassword',
  method: 'POST',
  path: '/people/{person}/password',
  role: 'operator',
  summary: 'Give a person another password; ends their sessions.',
  input,
  output,
  state: personState,
  async run({ person: id, newPassword }, { actor, identity }) {
    // Otherwise operators could sign in as that person, and the audit log would name the wrong one.
    if (actor?.kind !== 'local') {
      throw new Fault('not_allowed', {
        detail: 'a password is set by its person, or at the command line of the server',
      })
    }
    await identity.people.setPassword(id, newPassword, null)
    return { person: await identity.people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
