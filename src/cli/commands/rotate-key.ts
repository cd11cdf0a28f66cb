// `cairn keys rotate`: creates a new key or secret. The old one remains valid for an overlap in which clients change over.
import type { Command } from 'commander'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { parseDuration } from '../duration.ts'
import { showTime } from '../open-data.ts'
import { placeOf } from '../plan-options.ts'
import { print } from '../report.ts'

type Options = AdminOptions & { readonly overlap?: number; readonly secretOnly?: true }

const defaultOverlapMs = 86_400_000

export function defineRotate(command: Command, context: Context): void {
  addAdminOptions(
    command
      .command('rotate <id>')
      .description('replace an API key or its secret, and show the new one once'),
  )
    .option('--overlap <time>', 'time until the old one expires (24h); 0 ends it now', (text) =>
      parseDuration('--overlap', text),
    )
    .option('--secret-only', 'replace only the secret')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys rotate <id>                        keep the old key for 24 hours
  cairn keys rotate <id> --overlap 0            revoke the old key now, after a leak
  cairn keys rotate <id> --secret-only --overlap 7d

The new key has the same name, settings, limits and expiry; its usage starts at zero. "keys list" shows both keys with the day of
their last use. A key has at most two secrets: another rotation ends the oldest. "keys revoke" ends a key immediately.`,
    )
    .action((id: string, options: Options) =>
      options.secretOnly === true
        ? replaceSecret(context, id, options)
        : replaceKey(context, id, options),
    )
}

async function replaceKey(context: Context, id: string, options: Options): Promise<void> {
  await using admin = await openAdminAccess(context, options)
  const overlapMs = options.overlap ?? defaultOverlapMs
  const rotated = await admin.call('POST /accounts/{account}/keys/{key}/rotate', {
    ...(await placeOf(admin, id)),
    overlapMs,
  })
  const { key, apiKey, apiKeySecret, replaced: before } = rotated
  const oldEnds = showTime(before.revoked ?? before.expires)
  const { accountName: account, name } = key
  const shown = { apiKey, apiKeySecret, id: key.id, account, name }
  const text = `API key     ${apiKey}
API secret  ${apiKeySecret}
id          ${key.id}
account     ${account}

The old key ${id} ${before.revoked === null ? `ends ${oldEnds}` : 'has ended'}. Save the key and the secret now; they are not shown again.`
  print(context, options.json, { ...shown, rotatedFrom: id, oldEnds }, text)
}

async function replaceSecret(context: Context, id: string, options: Options): Promise<void> {
  await using admin = await openAdminAccess(context, options)
  const overlapMs = options.overlap ?? defaultOverlapMs
  const place = await placeOf(admin, id)
  const { key, apiKeySecret } = await admin.call(
    'POST /accounts/{account}/keys/{key}/rotate-secret',
    { ...place, overlapMs },
  )
  const oldEnds = showTime(key.earlierSecretExpires)
  const { accountName: account, name } = key
  const text = `API secret  ${apiKeySecret}
id          ${id}
account     ${account}

The old secret ${options.overlap === 0 ? 'has ended' : `ends ${oldEnds}`}. Save the secret now; it is not shown again.`
  print(context, options.json, { apiKeySecret, id, account, name, oldEnds }, text)
}
