// `DELETE /accounts/{account}/card`: takes the card away at the billing company. What the operator marked stays.
// Tested by test/card-started.test.ts
import type { z } from 'zod'
import type { JsonOperation } from './admin-operation.ts'
import { cardStatus, ofAccount, showCard, type ShownCard } from './card-schema.ts'

export const removeCard: JsonOperation<z.output<typeof ofAccount>, ShownCard> = {
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
}
