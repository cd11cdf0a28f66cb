// `POST /accounts/{account}/invitations`: creates a one-time link, valid for 7 days.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import { inviterOf } from '../../acting-person.ts'
import { isOperator } from '../../principal.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { accountRole, emailText, madeInvitation } from '../people/person-schema.ts'

const input = z.strictObject({
  account: accountId,
  role: accountRole,
  /** The only email address that may accept it; if absent, any holder of the link may. */
  email: emailText.optional(),
})
const output = z.object(madeInvitation.shape)

export const invite = {
  id: 'invite',
  method: 'POST',
  path: '/accounts/{account}/invitations',
  role: 'owner',
  summary: 'Invite a person to an account; only this reply contains the link.',
  input,
  output,
  async run({ account, role, email }, { actor, identity }) {
    if (actor !== null && !isOperator(actor) && !identity.ownersInvite()) {
      const detail = 'sign-up is closed: only operators invite (setting admin.signUp)'
      throw new Fault('not_allowed', { detail, data: { setting: 'admin.signUp' } })
    }
    const { invitation, token } = await identity.invitations.create({
      role,
      accountId: account,
      ...(email === undefined ? {} : { email }),
      invitedBy: inviterOf({ actor }),
    })
    const mailed = await identity.mailInvitation(invitation, token)
    return { invitation, link: token, mailed }
  },
} satisfies JsonOperation<typeof input, typeof output>
