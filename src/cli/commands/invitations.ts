// `cairn people invite|invitations|withdraw`: one-time links for new people.
// Tested by test/cli/cli-people.test.ts
import type { Command } from 'commander'
import { welcomeLink } from '../../server/open-access.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { usualAdminUrl } from '../server-access.ts'
import { UsageError } from '../usage-error.ts'

type InviteOptions = AdminOptions & {
  readonly account?: string
  readonly newAccount?: string
  readonly role?: string
  readonly operator?: true
  readonly email?: string
}

export function defineInvitations(command: Command, context: Context): void {
  addAdminOptions(
    command
      .command('invite')
      .description('create a one-time invitation link, valid for 7 days')
      .option('--account <name>', 'account to join')
      .option('--new-account <name>', 'name of a new account, created when the link is used')
      .option(
        '--role <role>',
        'role in the account: owner or member (member; owner of a new account)',
      )
      .option('--operator', 'invite an operator of the server')
      .option('--email <email>', 'only email address that can use the link'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn people invite --account team
  cairn people invite --new-account acme --email ada@example.org
  cairn people invite --operator

The link is shown once.`,
    )
    .action(async (options: InviteOptions) => {
      const { role, place } = readOrder(options)
      await using admin = await openAdminAccess(context, options, { make: true })
      const { account, newAccount, email } = options
      const { invitation, link, mailed } = await admin.call('POST /invitations', {
        role,
        ...(account === undefined ? {} : { accountId: (await accountNamed(admin, account)).id }),
        ...(newAccount === undefined ? {} : { accountName: newAccount }),
        ...(email === undefined ? {} : { email }),
      })
      const url = welcomeLink(options.url ?? (await usualAdminUrl(context, options)), link)
      const expires = showTime(invitation.expires)
      const article = role === 'member' ? 'a' : 'an'
      const text = `One-time link for ${article} ${role}${place}, valid until ${expires}:\n  ${url}${mailed ? `\nThe server sent it to ${invitation.email}.` : ''}`
      print(context, options.json, { id: invitation.id, link: url, expires, mailed }, text)
    })
  addAdminOptions(command.command('invitations').description('list unused invitation links'))
    .addHelpText('after', '\nExample:\n  cairn people invitations')
    .action(async (options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { invitations } = await admin.call('GET /invitations')
      const rows = invitations.map((one) => [
        one.id,
        one.role,
        one.accountName,
        one.email,
        showTime(one.expires),
      ])
      const headings = ['id', 'role', 'account', 'email', 'until']
      print(context, options.json, { invitations }, table(headings, rows, 'No unused links.'))
    })
  addAdminOptions(
    command.command('withdraw <id>').description('withdraw an unused invitation link'),
  )
    .addHelpText('after', '\nExample:\n  cairn people withdraw 8b4e3c1e-…')
    .action(async (invitation: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      await admin.call('DELETE /invitations/{invitation}', { invitation })
      print(context, options.json, { id: invitation }, 'The link is withdrawn.')
    })
}

type Order = { readonly role: 'operator' | 'owner' | 'member'; readonly place: string }

function readOrder({ account, newAccount, role, operator }: InviteOptions): Order {
  if (account !== undefined && newAccount !== undefined) {
    throw new UsageError('use either --account or --new-account')
  }
  if (operator === true) {
    if (role !== undefined) throw new UsageError('use either --operator or --role')
    return { role: 'operator', place: '' }
  }
  const name = account ?? newAccount
  if (name === undefined)
    throw new UsageError('no account: add --account, --new-account or --operator')
  const chosenRole = role ?? (newAccount === undefined ? 'member' : 'owner')
  if (chosenRole === 'owner' || chosenRole === 'member')
    return { role: chosenRole, place: ` of ${name}` }
  throw new UsageError(`--role is "${chosenRole}", expected owner or member`)
}
