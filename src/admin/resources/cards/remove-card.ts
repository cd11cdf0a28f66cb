// `DELETE /accounts/{account}/card`: takes the card away at the billing company. What the operator marked stays.
// Tested by test/card-started.test.ts
import type { JsonOperation } from '../../admin-operation.ts'
import { cardStatus, ofAccount, showCard } from './card-schema.ts'

export const removeCard = {
  id: 'removeCard',
  method: 'DELETE',
  path: '/accounts/{account}/card',
  role: 'owner',
  summary: 'Take the card of the account away; the file face answers 402 from then on.',
  input: ofAccount,
  output: cardStatus,
  async run({ account }, call) {
    call.accounts.getAccountById(account)
    return showCard(await call.cards.remove(account), account, call)
  },
} satisfies JsonOperation<typeof ofAccount, typeof cardStatus>
