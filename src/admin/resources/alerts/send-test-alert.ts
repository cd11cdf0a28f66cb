// `POST /accounts/{account}/alerts/test`: sends a test alert once to each recipient of the account.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'
import { noServer } from '../server/get-status.ts'

const input = z.strictObject({ account: accountId })
const output = z.object({
  sent: z.array(
    z.object({
      kind: z.enum(['email', 'webhook']),
      /** Address or URL. */
      to: z.string(),
      /** Why it was not accepted; null: the mail server or the webhook accepted it. */
      error: z.string().nullable(),
    }),
  ),
})

export const sendTestAlert = {
  id: 'sendTestAlert',
  method: 'POST',
  path: '/accounts/{account}/alerts/test',
  role: 'owner',
  summary: 'Send a test alert to the recipients of an account, once in 30 seconds.',
  input,
  output,
  async run({ account }, { alerts, accounts }) {
    if (alerts.test === null) throw noServer()
    const { name } = await accounts.getAccountById(account)
    const { emails, webhooks } = await alerts.get(account)
    if (emails.length + webhooks.length === 0) {
      throw new Fault('bad_input', {
        detail: 'the account has no recipients of alerts: add an email address or a webhook',
      })
    }
    const sent = await alerts.test({ id: account, name }, { emails, webhooks })
    return { sent: [...sent] }
  },
} satisfies JsonOperation<typeof input, typeof output>
