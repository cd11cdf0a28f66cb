// `POST /welcome`: creates the first operator or an invited person.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { beginSession, fromOf } from '../../acting-person.ts'
import { passwordsClosed } from '../../../access/people/sign-in.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { emailText, linkText, nameText, passwordText, person } from '../people/person-schema.ts'

const input = z.strictObject({
  link: linkText,
  email: emailText,
  name: nameText,
  password: passwordText,
})
const output = z.object({ person })

export const signUpByInvitation = {
  id: 'signUpByInvitation',
  method: 'POST',
  path: '/welcome',
  role: 'anyone',
  summary: 'Sign up with an invitation link; sets the session cookie.',
  input,
  output,
  audit: ({ name }, output) => ({
    person: output.person,
    target: output.person.id,
    changes: { name },
  }),
  async run({ link, ...newPerson }, call) {
    const { invitations, signIn, people, passwordsAccepted } = call.identity
    if (!passwordsAccepted()) throw passwordsClosed()
    const id = await invitations.acceptAsNew(link, newPerson)
    await beginSession(call, id, await signIn.enter(id, fromOf(call)))
    return { person: await people.get(id) }
  },
} satisfies JsonOperation<typeof input, typeof output>
