// Schema of an account's card, with the next step for the user.
// Tested by test/admin/card-started.test.ts
import { z } from 'zod'
import type { CardStatus } from '../../../access/cards/cards.ts'
import { type Principal, isOperator } from '../../principal.ts'
import type { AdminCall } from '../../admin-operation.ts'
import { accountId } from '../accounts/account-schema.ts'

export const cardStatus = z.object({
  adapter: z.enum(['none', 'manual', 'stripe']),
  state: z.enum(['not-needed', 'missing', 'marked', 'on-file', 'expired']),
  /** The IPFS API is enabled for the account. */
  opensFiles: z.boolean(),
  /** Only for owners and operators; null for members, and without a card. */
  card: z
    .object({
      brand: z.string(),
      last4: z.string(),
      expiryMonth: z.int(),
      expiryYear: z.int(),
    })
    .nullable(),
  /** Time of the last query to the payment provider, milliseconds since 1970 UTC. */
  asOf: z.int().nullable(),
  /** The next step as a sentence; null: none. */
  next: z.string().nullable(),
})

export const ofAccount = z.strictObject({ account: accountId })

export type ShownCard = z.output<typeof cardStatus>

/** The parts of `status` that this actor may see. */
export async function showCard(
  status: CardStatus,
  accountId: string,
  call: AdminCall,
): Promise<ShownCard> {
  const { card, ...rest } = status
  const seesCard = call.actor !== null && isOwner(call.actor, accountId)
  return { ...rest, card: seesCard ? card : null, next: await nextStep(status, call, accountId) }
}

function isOwner(actor: Principal, accountId: string): boolean {
  return isOperator(actor) || (actor.kind === 'person' && actor.roles.get(accountId) === 'owner')
}

async function nextStep(
  { adapter, state }: CardStatus,
  call: AdminCall,
  accountId: string,
): Promise<string | null> {
  if (state === 'expired') return 'The card is past its month: add another one.'
  if (state !== 'missing') return null
  if (adapter === 'stripe') {
    return 'Add a card: without one the IPFS API answers 402. JSON-RPC needs none.'
  }
  const { name } = await call.accounts.getAccountById(accountId)
  const who =
    call.actor !== null && isOperator(call.actor)
      ? 'Mark the account when it has a card'
      : 'Ask the operator of this server to mark the account'
  return `${who} (cairn card set ${name}): until then the IPFS API answers 402. JSON-RPC needs no card.`
}
