// `cairn accounts create|list|show|set|dev`.
// Tested by test/cli/cli.test.ts
import type { Command } from 'commander'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context, SharedOptions } from '../context.ts'
import type { Account } from '../../access/accounts/accounts.ts'
import {
  accountChangesOf,
  type AccountSettingsOptions,
  addAccountSettings,
} from '../key-settings-options.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { addSharedOptions } from '../shared-options.ts'
import { showKey, showSetting } from './show-key.ts'
import { UsageError } from '../usage-error.ts'

type SetOptions = AdminOptions & AccountSettingsOptions & { readonly name?: string }

export function defineAccounts(command: Command, context: Context): void {
  addAdminOptions(command.command('create <name>').description('create an account'))
    .option('--no-card', 'no billing card: the IPFS API returns 402')
    .addHelpText(
      'after',
      `
Examples:
  cairn accounts create team
  cairn accounts create team --no-card

The account can use the IPFS API immediately, unless card.adapter is stripe or --no-card is set.`,
    )
    .action(async (name: string, options: AdminOptions & { readonly card: boolean }) => {
      await using admin = await openAdminAccess(context, options, { make: true })
      const card = options.card ? {} : { hasCard: false }
      const { account } = await admin.call('POST /accounts', { name, ...card })
      print(context, options.json, { account: show(account) }, describe([account]))
    })
  addAdminOptions(command.command('list').description('list all accounts'))
    .addHelpText('after', '\nExample:\n  cairn accounts list --json')
    .action(async (options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { accounts } = await admin.call('GET /accounts')
      print(context, options.json, { accounts: accounts.map(show) }, describe(accounts))
    })
  addAdminOptions(command.command('show <name>').description('show one account and its API keys'))
    .addHelpText('after', '\nExample:\n  cairn accounts show team')
    .action(async (name: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { id } = await accountNamed(admin, name)
      const { account } = await admin.call('GET /accounts/{account}', { account: id })
      const { keys } = await admin.call('GET /accounts/{account}/keys', { account: id })
      const names = keys.map((key) => `  ${key.id}  ${key.prefix}…  ${key.name}`)
      const limits = describeLimits(account)
      const text = [describe([account]), limits, `API keys: ${keys.length}`, ...names].join('\n')
      const shown = { account: show(account), keys: keys.map(showKey) }
      print(context, options.json, shown, text)
    })
  const set = command
    .command('set <name>')
    .description('set limits of an account and which pins are public, or rename it')
  addAdminOptions(addAccountSettings(set))
    .option('--name <name>', 'new name of the account')
    .addHelpText(
      'after',
      `
Examples:
  cairn accounts set team --files-stored-bytes 10000000000
  cairn accounts set team --files-download-bytes-per-month none
  cairn accounts set team --provide roots

The limits apply to all keys of the account together. A month is a calendar month in UTC. "none" removes a limit.
Public pins need no key: the gateway serves them, and with provide: roots or all the IPFS network finds them.`,
    )
    .action(async (name: string, options: SetOptions) => {
      const changes = accountChangesOf(options)
      if (Object.keys(changes).length === 0 && options.name === undefined) {
        throw new UsageError('nothing to set: add an option, see accounts set --help')
      }
      await using admin = await openAdminAccess(context, options)
      const { id } = await accountNamed(admin, name)
      const { account } = await admin.call('PATCH /accounts/{account}', {
        account: id,
        name: options.name,
        settings: changes,
      })
      print(context, options.json, { account: show(account) }, describeLimits(account))
    })
  addSharedOptions(
    command.command('dev').description('list the public development keys of the embedded chain'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  cairn accounts dev --json\n\nThese keys are public: use them on the embedded chain only.',
    )
    .action(async (options: SharedOptions) => {
      const { devAccounts } = await import('../../devchain/dev-accounts.ts')
      const rows = devAccounts.map(({ address, privateKey }) => [address, privateKey])
      const text = table(['address', 'private key (public: for the embedded chain only)'], rows, '')
      print(context, options.json, { accounts: devAccounts }, text)
    })
}

function show(account: Account): object {
  return { ...account, created: showTime(account.created) }
}

function describeLimits({ settings }: Account): string {
  const rows = Object.entries(settings).map(([name, value]) => [name, showSetting(value)])
  return table(['setting', 'value'], rows, '')
}

function describe(accounts: readonly Account[]): string {
  const rows = accounts.map(({ name, id, hasCard, created }) => [
    name,
    id,
    hasCard ? 'yes' : 'no',
    showTime(created),
  ])
  return table(['name', 'id', 'card', 'created'], rows, 'No accounts.')
}
