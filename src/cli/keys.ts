// `cairn keys create|list|show|rotate|revoke`. Key and secret are shown once, when made; they are kept as hashes.
// Tested by test/cli.test.ts
import type { Command } from 'commander'
import type { ApiKey } from '../accounts/accounts.ts'
import { obtainFirstAccount } from '../accounts/first-account.ts'
import type { KeySettings } from '../accounts/key-settings.ts'
import { systemClock } from '../base/clock.ts'
import type { Context, SharedOptions } from './context.ts'
import { openData, showTime } from './open-data.ts'
import { print, table } from './report.ts'
import { defineRotate } from './rotate-key.ts'
import { addSharedOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

type CreateOptions = SharedOptions & {
  readonly account?: string
  readonly name?: string
  readonly secretRequired?: true
  readonly networks?: readonly string[]
  readonly unitsPerSecond?: number
  readonly unitsPerDay?: number
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
      const settings = Object.entries(key.settings).map(([name, value]) => [
        name,
        value === null ? 'no limit' : String(value),
      ])
      const rotations = [
        ...(key.rotatedFrom === null ? [] : [['replaces', key.rotatedFrom]]),
        ...(key.earlierSecretExpires === null
          ? []
          : [['earlier secret', ending(key.earlierSecretExpires)]]),
      ]
      const text = `${describe([key])}\n\n${table(['setting', 'value'], [...settings, ...rotations], '')}`
      print(context, options.json, { key: showKey(key) }, text)
    })
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
  addSharedOptions(
    command.command('create').description('make an API key; shows it and its secret once'),
  )
    .option('--account <name>', 'account that owns it (the first account)')
    .option('--name <name>', 'what it is for')
    .option('--secret-required', 'JSON-RPC calls must carry the secret too')
    .option('--networks <names>', 'networks it may use, with commas (all)', parseNames)
    .option('--units-per-second <number>', 'rate limit (none)', limitOf('--units-per-second'))
    .option('--units-per-day <number>', 'daily limit (none)', limitOf('--units-per-day'))
    .option('--import-key', 'take key and secret, one a line, from standard input')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys create --name laptop
  cairn keys create --account team --secret-required --networks dev --units-per-second 500
  printf '%s\\n%s\\n' "$KEY" "$SECRET" | cairn keys create --import-key`,
    )
    .action(async (options: CreateOptions) => {
      const imported = options.importKey === true ? parsePair(await context.readInput()) : null
      await using data = await openData(context, options)
      const { accounts } = data
      const owner = options.account ?? (await obtainFirstAccount(accounts)).name
      const made = await accounts.createKey(owner, {
        name: options.name ?? '',
        settings: settingsOf(options),
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

function settingsOf(options: CreateOptions): Partial<KeySettings> {
  const { secretRequired, networks, unitsPerSecond, unitsPerDay } = options
  return {
    ...(secretRequired === true ? { secretRequired } : {}),
    ...(networks === undefined ? {} : { networks }),
    ...(unitsPerSecond === undefined ? {} : { unitsPerSecond }),
    ...(unitsPerDay === undefined ? {} : { unitsPerDay }),
  }
}

function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(name))) return names
  throw new UsageError(`--networks is "${text}", expected network names with commas between`)
}

function limitOf(flag: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,15}$/.test(text)) return Number(text)
    throw new UsageError(`${flag} is "${text}", expected a whole number`)
  }
}

// The input is never echoed: it is secret.
function parsePair(text: string): { readonly key: string; readonly secret: string } {
  const [key = '', secret = '', ...rest] = text.split(/\r?\n/)
  if (key !== '' && secret !== '' && rest.join('') === '') return { key, secret }
  throw new UsageError(
    'expected the key on the first line of standard input, the secret on the second',
  )
}

/** An ApiKey for programs; nothing in it opens anything. */
export function showKey(key: ApiKey): object {
  return {
    ...key,
    created: showTime(key.created),
    expires: showTime(key.expires),
    revoked: showTime(key.revoked),
    earlierSecretExpires: showTime(key.earlierSecretExpires),
  }
}

function ending(time: number): string {
  return `${time > systemClock.now() ? 'ends' : 'ended'} ${showTime(time)}`
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
