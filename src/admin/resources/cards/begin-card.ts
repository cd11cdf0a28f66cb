// `POST /accounts/{account}/card/forms`: starts to add a card. The reply opens one form at the payment provider; the
// card data goes there from the browser and never to this server.
// Tested by test/admin/card-started.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({
  account: accountId,
  /** Chosen by the client, once per form: the same value returns the same form. */
  attempt: z.uuid(),
})
const output = z.object({
  clientSecret: z.string(),
  publishableKey: z.string(),
})

export const beginCard = {
  id: 'beginCard',
  method: 'POST',
  path: '/accounts/{account}/card/forms',
  role: 'owner',
  summary: 'Begin to add a card: a form at the payment provider.',
  input,
  output,
  async run({ account, attempt }, call) {
    const { name } = await call.accounts.getAccountById(account)
    const address = call.origin.address ?? ''
    return await call.cards.begin({ accountId: account, name, attempt, address })
  },
} satisfies JsonOperation<typeof input, typeof output>
