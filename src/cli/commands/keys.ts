// `cairn keys create|list|show|set|rotate|public-key|try|revoke`. Key and secret are shown once, at creation; Cairn stores hashes.
// Tested by test/cli/cli.test.ts
import type { Command } from 'commander'
import type { ApiKey } from '../../access/accounts/accounts.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { addKeySettings, changesOf, type KeySettingsOptions } from '../key-settings-options.ts'
import { accountNamed, oldestAccount } from '../named-account.ts'
import { noteNetworks } from '../note-networks.ts'
import { showTime } from '../open-data.ts'
import { addPlanOptions, endOf, placeOf, type PlanOptions } from '../plan-options.ts'
import { definePublicKey, describePublicKeys, showPublicKey } from './public-key.ts'
import { print, table } from '../report.ts'
import { defineRotate } from './rotate-key.ts'
import { defineSet } from './set-key.ts'
import { describeSettings, ending, showKey } from './show-key.ts'
import { defineTry } from './try-key.ts'
import { UsageError } from '../usage-error.ts'

type CreateOptions = AdminOptions &
  PlanOptions &
  KeySettingsOptions & {
    readonly account?: string
    readonly name?: string
    readonly importKey?: true
  }

export function defineKeys(command: Command, context: Context): void {
  defineCreate(command, context)
  addAdminOptions(
    command.command('list').description('list all API keys, or the keys of one account'),
  )
    .option('--account <name>', 'only keys of this account')
    .addHelpText('after', '\nExample:\n  cairn keys list --account team')
    .action(async (options: AdminOptions & { readonly account?: string }) => {
      await using admin = await openAdminAccess(context, options)
      const { keys } =
        options.account === undefined
          ? await admin.call('GET /keys')
          : await admin.call('GET /accounts/{account}/keys', {
              account: (await accountNamed(admin, options.account)).id,
            })
      print(context, options.json, { keys: keys.map(showKey) }, describe(keys))
    })
  addAdminOptions(command.command('show <id>').description('show one API key and its settings'))
    .addHelpText('after', '\nExample:\n  cairn keys show <id>')
    .action(async (id: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { key, publicKeys } = await admin.call(
        'GET /accounts/{account}/keys/{key}',
        await placeOf(admin, id),
      )
      const shown = [describe([key]), describeSettings(key)]
      if (publicKeys.length > 0) shown.push(describePublicKeys(publicKeys))
      const value = { key: showKey(key), publicKeys: publicKeys.map(showPublicKey) }
      print(context, options.json, value, shown.join('\n\n'))
    })
  defineSet(command, context)
  defineRotate(command, context)
  definePublicKey(command, context)
  defineTry(command, context)
  addAdminOptions(
    command.command('revoke <id>').description('revoke an API key immediately and permanently'),
  )
    .addHelpText('after', '\nExample:\n  cairn keys revoke <id>')
    .action(async (id: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      await admin.call('POST /accounts/{account}/keys/{key}/revoke', await placeOf(admin, id))
      print(context, options.json, { id, revoked: true }, `The API key ${id} is revoked.`)
    })
}

function defineCreate(command: Command, context: Context): void {
  const create = command
    .command('create')
    .description('create an API key, and show it and its secret once')
    .option('--account <name>', 'account that owns the key (the first account)')
    .option('--name <name>', 'name of the key')
  addAdminOptions(addPlanOptions(addKeySettings(create, false)))
    .option('--import-key', 'import an existing key and secret from standard input, one per line')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys create --name laptop
  cairn keys create --account team --secret-required --networks dev --units-per-second 500
  cairn keys create --name page --plan free --expires 90d
  cairn keys create --name page --allow-origin https://app.example.com --allow-method eth_call
  printf '%s\\n%s\\n' "$KEY" "$SECRET" | cairn keys create --import-key`,
    )
    .action(async (options: CreateOptions) => {
      const imported = options.importKey === true ? parsePair(await context.readInput()) : undefined
      await using admin = await openAdminAccess(context, options, { make: true })
      const owner =
        options.account === undefined
          ? await oldestAccount(admin)
          : await accountNamed(admin, options.account)
      const { key, apiKey, apiKeySecret } = await admin.call('POST /accounts/{account}/keys', {
        account: owner.id,
        name: options.name ?? '',
        expires: endOf(options) ?? null,
        plan: options.plan ?? 'none',
        settings: changesOf(options),
        imported,
      })
      const { id, name } = key
      const shown = { apiKey, apiKeySecret, id, account: owner.name, name }
      const text = `API key     ${apiKey}
API secret  ${apiKeySecret}
id          ${id}
account     ${owner.name}

Save the key and the secret now; they are not shown again.`
      print(context, options.json, shown, text)
      await noteNetworks(context, options)
    })
}

// The input is never echoed: it is secret.
function parsePair(text: string): { readonly apiKey: string; readonly apiKeySecret: string } {
  const [apiKey = '', apiKeySecret = '', ...rest] = text.split(/\r?\n/)
  if (apiKey !== '' && apiKeySecret !== '' && rest.join('') === '') return { apiKey, apiKeySecret }
  throw new UsageError('expected two lines of standard input: the key, then the secret')
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
  return table(headings, rows, 'No API keys.')
}
