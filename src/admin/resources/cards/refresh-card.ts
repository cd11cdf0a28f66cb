// `POST /accounts/{account}/card/refresh`: queries the payment provider now, for servers that its webhooks do not reach and for a
// page that has just submitted a card.
// Tested by test/admin/card-started.test.ts
import type { JsonOperation } from '../../admin-operation.ts'
import { cardStatus, ofAccount, showCard } from './card-schema.ts'

export const refreshCard = {
  id: 'refreshCard',
  method: 'POST',
  path: '/accounts/{account}/card/refresh',
  role: 'owner',
  summary: 'Get the card of the account from the payment provider.',
  input: ofAccount,
  output: cardStatus,
  audit: () => null,
  async run({ account }, call) {
    await call.accounts.getAccountById(account)
    return await showCard(await call.cards.refresh(account), account, call)
  },
} satisfies JsonOperation<typeof ofAccount, typeof cardStatus>
