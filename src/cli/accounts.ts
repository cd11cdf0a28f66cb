// `cairn accounts create|list|show|dev`.
// Tested by test/cli.test.ts
import type { Command } from 'commander'
import type { Context, SharedOptions } from './context.ts'
import type { Account } from '../accounts/accounts.ts'
import { openData, showTime } from './open-data.ts'
import { print, table } from './report.ts'
import { addSharedOptions } from './shared-options.ts'
import { showKey } from './show-key.ts'

export function defineAccounts(command: Command, context: Context): void {
  addSharedOptions(command.command('create <name>').description('make an account'))
    .addHelpText('after', '\nExample:\n  cairn accounts create team && cairn card set team')
    .action(async (name: string, options: SharedOptions) => {
      await using data = await openData(context, options)
      const account = await data.accounts.createAccount(name)
      print(context, options.json, { account: show(account) }, describe([account]))
    })
  addSharedOptions(command.command('list').description('all accounts'))
    .addHelpText('after', '\nExample:\n  cairn accounts list --json')
    .action(async (options: SharedOptions) => {
      await using data = await openData(context, options)
      const accounts = data.accounts.listAccounts()
      print(context, options.json, { accounts: accounts.map(show) }, describe(accounts))
    })
  addSharedOptions(command.command('show <name>').description('one account and its API keys'))
    .addHelpText('after', '\nExample:\n  cairn accounts show team')
    .action(async (name: string, options: SharedOptions) => {
      await using data = await openData(context, options)
      const account = data.accounts.getAccount(name)
      const keys = data.accounts.listKeys(name)
      const names = keys.map((key) => `  ${key.id}  ${key.prefix}…  ${key.name}`)
      const text = [describe([account]), `API keys: ${keys.length}`, ...names].join('\n')
      const shown = { account: show(account), keys: keys.map(showKey) }
      print(context, options.json, shown, text)
    })
  addSharedOptions(command.command('dev').description('public keys of the embedded chain'))
    .addHelpText(
      'after',
      '\nExample:\n  cairn accounts dev --json\n\nEverybody knows these keys: use them on the embedded chain only.',
    )
    .action(async (options: SharedOptions) => {
      const { devAccounts } = await import('../ethereum/embedded/dev-accounts.ts')
      const rows = devAccounts.map(({ address, privateKey }) => [address, privateKey])
      const text = table(['address', 'private key (public: for the embedded chain only)'], rows, '')
      print(context, options.json, { accounts: devAccounts }, text)
    })
}

function show(account: Account): object {
  return { ...account, created: showTime(account.created) }
}

function describe(accounts: readonly Account[]): string {
  const rows = accounts.map(({ name, id, hasCard, created }) => [
    name,
    id,
    hasCard ? 'yes' : 'no',
    showTime(created),
  ])
  return table(['name', 'id', 'card', 'created'], rows, 'There is no account yet.')
}
