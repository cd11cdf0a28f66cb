// `GET /accounts/{account}/card`: state and description of the card, and the next step.
// Tested by test/admin/card-started.test.ts
import type { JsonOperation } from '../../admin-operation.ts'
import { cardStatus, ofAccount, showCard } from './card-schema.ts'

export const getCard = {
  id: 'getCard',
  method: 'GET',
  path: '/accounts/{account}/card',
  role: 'member',
  summary: 'The billing card of the account: state, description and next step.',
  input: ofAccount,
  output: cardStatus,
  async run(input, call) {
    return await showCard(await call.cards.status(input.account), input.account, call)
  },
} satisfies JsonOperation<typeof ofAccount, typeof cardStatus>
