// `cairn keys create|list|show|set|rotate|revoke`. Key and secret are shown once, when made; they are kept as hashes.
// Tested by test/cli.test.ts
import type { Command } from 'commander'
import type { ApiKey } from '../accounts/accounts.ts'
import { obtainFirstAccount } from '../accounts/first-account.ts'
import type { Context, SharedOptions } from './context.ts'
import { addKeySettings, changesOf, type KeySettingsOptions } from './key-settings-options.ts'
import { openData, showTime } from './open-data.ts'
import { print, table } from './report.ts'
import { defineRotate } from './rotate-key.ts'
import { defineSet } from './set-key.ts'
import { addSharedOptions } from './shared-options.ts'
import { describeSettings, ending, showKey } from './show-key.ts'
import { UsageError } from './usage-error.ts'

type CreateOptions = SharedOptions &
  KeySettingsOptions & {
    readonly account?: string
    readonly name?: string
    readonly importKey?: true
  }

export function defineKeys(command: Command, context: Context): void {
  defineCreate(command, context)
  addSharedOptions(command.command('list').description('all API keys, or those of an account'))
    .option('--account <name>', 'only keys of this account')
    .addHelpText('after', '\nExample:\n  cairn keys list --account team')
    .action(async (options: SharedOptions & { readonly account?: string }) => {
      await using data = await openData(context, options)
      const keys = data.accounts.listKeys(options.account)
      print(context, options.json, { keys: keys.map(showKey) }, describe(keys))
    })
  addSharedOptions(command.command('show <id>').description('one API key and its settings'))
    .addHelpText('after', '\nExample:\n  cairn keys show <id>')
    .action(async (id: string, options: SharedOptions) => {
      await using data = await openData(context, options)
      const key = data.accounts.getKey(id)
      const text = `${describe([key])}\n\n${describeSettings(key)}`
      print(context, options.json, { key: showKey(key) }, text)
    })
  defineSet(command, context)
  defineRotate(command, context)
  addSharedOptions(
    command.command('revoke <id>').description('end an API key at once and for good'),
  )
    .addHelpText('after', '\nExample:\n  cairn keys revoke <id>')
    .action(async (id: string, options: SharedOptions) => {
      await using data = await openData(context, options)
      await data.accounts.revokeKey(id)
      print(context, options.json, { id, revoked: true }, `The API key ${id} is revoked.`)
    })
}

function defineCreate(command: Command, context: Context): void {
  const create = command
    .command('create')
    .description('make an API key; shows it and its secret once')
    .option('--account <name>', 'account that owns it (the first account)')
    .option('--name <name>', 'what it is for')
  addSharedOptions(addKeySettings(create, false))
    .option('--import-key', 'take key and secret, one a line, from standard input')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys create --name laptop
  cairn keys create --account team --secret-required --networks dev --units-per-second 500
  cairn keys create --name page --allow-origin https://app.example.com --allow-method eth_call
  printf '%s\\n%s\\n' "$KEY" "$SECRET" | cairn keys create --import-key`,
    )
    .action(async (options: CreateOptions) => {
      const imported = options.importKey === true ? parsePair(await context.readInput()) : null
      await using data = await openData(context, options)
      const { accounts } = data
      const owner = options.account ?? (await obtainFirstAccount(accounts)).name
      const made = await accounts.createKey(owner, {
        name: options.name ?? '',
        settings: changesOf(options),
        ...(imported === null ? {} : { imported }),
      })
      const { id, name } = made.apiKey
      const shown = { apiKey: made.key, apiKeySecret: made.secret, id, account: owner, name }
      const text = `API key     ${made.key}
API secret  ${made.secret}
id          ${id}
account     ${owner}

Key and secret are shown only now.`
      print(context, options.json, shown, text)
    })
}

// The input is never echoed: it is secret.
function parsePair(text: string): { readonly key: string; readonly secret: string } {
  const [key = '', secret = '', ...rest] = text.split(/\r?\n/)
  if (key !== '' && secret !== '' && rest.join('') === '') return { key, secret }
  throw new UsageError(
    'expected the key on the first line of standard input, the secret on the second',
  )
}

function describe(keys: readonly ApiKey[]): string {
  const rows = keys.map((key) => [
    key.id,
    `${key.prefix}…`,
    key.accountName,
    key.name,
    showTime(key.created),
    key.lastUsedDay,
    key.revoked === null ? (key.expires === null ? 'active' : ending(key.expires)) : 'revoked',
  ])
  const headings = ['id', 'key', 'account', 'name', 'created', 'last used', 'state']
  return table(headings, rows, 'There is no API key yet.')
}
