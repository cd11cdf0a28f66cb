// `DELETE /accounts/{account}/card`: removes the card at the payment provider. The operator's mark remains.
// Tested by test/admin/card-started.test.ts
import type { JsonOperation } from '../../admin-operation.ts'
import { cardStatus, ofAccount, showCard } from './card-schema.ts'

export const removeCard = {
  id: 'removeCard',
  method: 'DELETE',
  path: '/accounts/{account}/card',
  role: 'owner',
  summary: 'Remove the card of the account; the IPFS API then answers 402.',
  input: ofAccount,
  output: cardStatus,
  async run({ account }, call) {
    await call.accounts.getAccountById(account)
    return await showCard(await call.cards.remove(account), account, call)
  },
} satisfies JsonOperation<typeof ofAccount, typeof cardStatus>
