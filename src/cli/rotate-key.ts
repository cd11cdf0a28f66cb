// `cairn keys rotate`: a new key (or secret) now, the old one for an overlap in which callers change over.
import type { Command } from 'commander'
import type { Context, SharedOptions } from './context.ts'
import { parseDuration } from './duration.ts'
import { openData, showTime } from './open-data.ts'
import { print } from './report.ts'
import { addSharedOptions } from './shared-options.ts'

type Options = SharedOptions & { readonly overlap?: number; readonly secretOnly?: true }

const defaultOverlapMs = 86_400_000

export function defineRotate(command: Command, context: Context): void {
  addSharedOptions(
    command
      .command('rotate <id>')
      .description('replace an API key, or only its secret; shown once'),
  )
    .option(
      '--overlap <time>',
      'how long the old one goes on working (24h); 0 ends it now',
      (text) => parseDuration('--overlap', text),
    )
    .option('--secret-only', 'keep the key, replace its secret')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys rotate <id>                        the old key works for 24 hours more
  cairn keys rotate <id> --overlap 0            it leaked: the old key ends now
  cairn keys rotate <id> --secret-only --overlap 7d

Name, settings, limits and expiry go over to the new key, whose units count from zero. keys list shows both with the day of their
last use. A key has two secrets at most: rotating again ends the oldest. keys revoke ends a key at once.`,
    )
    .action((id: string, options: Options) =>
      options.secretOnly === true
        ? rotateSecret(context, id, options)
        : rotateKey(context, id, options),
    )
}

async function rotateKey(context: Context, id: string, options: Options): Promise<void> {
  await using data = await openData(context, options)
  const { apiKey, key, secret } = await data.accounts.rotateKey(
    id,
    options.overlap ?? defaultOverlapMs,
  )
  const before = data.accounts.getKey(id)
  const oldEnds = showTime(before.revoked ?? before.expires)
  const { accountName: account, name } = apiKey
  const shown = { apiKey: key, apiKeySecret: secret, id: apiKey.id, account, name }
  const text = `API key     ${key}
API secret  ${secret}
id          ${apiKey.id}
account     ${account}

The old key ${id} ${before.revoked === null ? `ends ${oldEnds}` : 'has ended'}. Key and secret are shown only now.`
  print(context, options.json, { ...shown, rotatedFrom: id, oldEnds }, text)
}

async function rotateSecret(context: Context, id: string, options: Options): Promise<void> {
  await using data = await openData(context, options)
  const { apiKey, secret } = await data.accounts.rotateSecret(
    id,
    options.overlap ?? defaultOverlapMs,
  )
  const oldEnds = showTime(apiKey.earlierSecretExpires)
  const { accountName: account, name } = apiKey
  const text = `API secret  ${secret}
id          ${id}
account     ${account}

The old secret ${options.overlap === 0 ? 'has ended' : `ends ${oldEnds}`}. The secret is shown only now.`
  print(context, options.json, { apiKeySecret: secret, id, account, name, oldEnds }, text)
}
