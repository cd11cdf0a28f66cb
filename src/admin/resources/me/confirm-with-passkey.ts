// `POST /me/confirmation/passkey`: as `POST /me/confirmation`, with a passkey instead of the password.
// Tested by test/admin/passkeys.test.ts
import { z } from 'zod'
import { fromOf, personInSession, renewSession } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { passkeyPage } from '../passkeys/passkey-page.ts'
import { passkeyAnswer as input, toAnswer } from '../passkeys/passkey-schema.ts'

const output = z.object({})

export const confirmWithPasskey = {
  id: 'confirmWithPasskey',
  method: 'POST',
  path: '/me/confirmation/passkey',
  role: 'signed-in',
  whileEnrolling: true,
  summary: 'Show a passkey of yours, as some changes require; valid for five minutes.',
  input,
  output,
  audit: () => null,
  async run(answer, call) {
    const person = personInSession(call)
    const { passkeySignIn, confirmations } = call.identity
    await passkeySignIn.confirm(person, toAnswer(answer), passkeyPage(call), fromOf(call))
    confirmations.confirm(person.session)
    const { actor } = call
    if (actor?.kind === 'person' && actor.mustEnrol === true) {
      await renewSession(call, person.session, true)
    }
    return {}
  },
} satisfies JsonOperation<typeof input, typeof output>
