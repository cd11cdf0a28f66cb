// `cairn card show|set|clear|refresh`: the billing card of an account, also as set by the operator.
// Tested by test/cli/cli.test.ts
import type { Command } from 'commander'
import type { ShownCard } from '../../admin/resources/cards/card-schema.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import type { Context } from '../context.ts'
import { accountNamed } from '../named-account.ts'
import { print } from '../report.ts'

type Deed = (admin: AdminAccess, account: string) => Promise<ShownCard>

export function defineCard(command: Command, context: Context): void {
  define('show', 'show the billing card of an account, and how to add one', (admin, account) =>
    admin.call('GET /accounts/{account}/card', { account }),
  )
  define('refresh', 'update the card status from the payment provider', (admin, account) =>
    admin.call('POST /accounts/{account}/card/refresh', { account }),
  )
  define('set', 'mark an account as having a billing card', (admin, account) =>
    admin.call('PUT /accounts/{account}/card/mark', { account, hasCard: true }),
  )
  define('clear', 'remove the mark: the IPFS API returns 402', (admin, account) =>
    admin.call('PUT /accounts/{account}/card/mark', { account, hasCard: false }),
  )

  function define(verb: string, description: string, run: Deed): void {
    addAdminOptions(command.command(`${verb} <account>`).description(description))
      .addHelpText('after', `\nExample:\n  cairn card ${verb} team`)
      .action(async (name: string, options: AdminOptions) => {
        await using admin = await openAdminAccess(context, options)
        const account = await accountNamed(admin, name)
        const card = await run(admin, account.id)
        const hasCard = card.state !== 'missing' && card.state !== 'not-needed'
        print(context, options.json, { account: name, hasCard, ...card }, describe(name, card))
      })
  }
}

function describe(name: string, { state, card, next }: ShownCard): string {
  const message = {
    'not-needed': 'no card is required (card.adapter is none).',
    missing: `${name} has no card on file.`,
    marked: `${name} has a card on file, marked by the operator.`,
    'on-file': `${name} has a card on file.`,
    expired: `${name} has a card on file, and it has expired.`,
  }[state]
  const lines = [message]
  if (card !== null) {
    const month = String(card.expiryMonth).padStart(2, '0')
    lines.push(`${card.brand} ending in ${card.last4}, to ${card.expiryYear}-${month}`)
  }
  return [...lines, ...(next === null ? [] : [next])].join('\n')
}
