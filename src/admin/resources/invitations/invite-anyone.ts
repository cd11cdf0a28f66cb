// `POST /invitations`: creates a one-time link, valid for 7 days. A link for an operator requires a confirmed session.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { inviterOf, requireConfirmed } from '../../acting-person.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { anyRole, emailText, idText, madeInvitation } from '../people/person-schema.ts'

const input = z.strictObject({
  role: anyRole,
  /** ID of an existing account. */
  accountId: idText.optional(),
  /** Name of an account that acceptance of the invitation creates. */
  accountName: z.string().max(64).optional(),
  email: emailText.optional(),
})
const output = z.object(madeInvitation.shape)

export const inviteAnyone = {
  id: 'inviteAnyone',
  method: 'POST',
  path: '/invitations',
  role: 'operator',
  summary:
    'Invite a person to a new account, to an existing one, or as an operator; only this reply contains the link.',
  input,
  output,
  async run({ role, accountId, accountName, email }, call) {
    const { accounts, identity } = call
    if (role === 'operator') requireConfirmed(call)
    if (accountId !== undefined) await accounts.getAccountById(accountId)
    const { invitation, token } = await identity.invitations.create({
      role,
      ...(accountId === undefined ? {} : { accountId }),
      ...(accountName === undefined ? {} : { accountName }),
      ...(email === undefined ? {} : { email }),
      invitedBy: inviterOf(call),
    })
    const mailed = await identity.mailInvitation(invitation, token)
    return { invitation, link: token, mailed }
  },
} satisfies JsonOperation<typeof input, typeof output>
