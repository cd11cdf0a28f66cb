// `PUT /accounts/{account}/card/mark`: sets or removes the operator's mark that the account has a card.
// Tested by test/admin/card-started.test.ts
import { z } from 'zod'
import type { JsonOperation } from '../../admin-operation.ts'
import { accountState } from '../../audited-states.ts'
import { accountId } from '../accounts/account-schema.ts'
import { cardStatus, showCard } from './card-schema.ts'

const input = z.strictObject({ account: accountId, hasCard: z.boolean() })

export const markCard = {
  id: 'markCard',
  method: 'PUT',
  path: '/accounts/{account}/card/mark',
  role: 'operator',
  summary: 'Mark the account as having a card, or take the mark away.',
  input,
  output: cardStatus,
  state: accountState,
  async run({ account, hasCard }, call) {
    const { name } = await call.accounts.getAccountById(account)
    await call.accounts.setCard(name, hasCard)
    return await showCard(await call.cards.status(account), account, call)
  },
} satisfies JsonOperation<typeof input, typeof cardStatus>
