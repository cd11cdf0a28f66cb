// How a command reaches a running server: its URL, and a key with its secret.
// Tested by test/import-pins.test.ts
import type { Command } from 'commander'
import { dashboardUrl, reachedUrl } from '../server/open-access.ts'
import type { Context, SharedOptions } from './context.ts'
import { settingsOf } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

export type ServerOptions = SharedOptions & {
  readonly url?: string
  readonly key?: string
  readonly secret?: string
}

export type ServerAccess = {
  readonly url: string
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

export function addServerOptions(command: Command): Command {
  return command
    .option('--url <url>', 'running server (or CAIRN_URL; else from the settings)')
    .option('--key <key>', 'API key (or CAIRN_KEY)')
    .option(
      '--secret <secret>',
      'API key secret (prefer CAIRN_SECRET: other users can see arguments)',
    )
}

/** Throws UsageError when something is missing, ConfigError. */
export async function serverAccess(
  context: Context,
  options: ServerOptions,
): Promise<ServerAccess> {
  const url = options.url ?? (context.env['CAIRN_URL'] || (await usualUrl(context, options)))
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--url is "${url}", expected http://<host>:<port>`)
  }
  const key = options.key ?? context.env['CAIRN_KEY'] ?? ''
  const secret = options.secret ?? context.env['CAIRN_SECRET'] ?? ''
  if (key === '') throw new UsageError('no API key: set --key or CAIRN_KEY')
  if (secret === '') throw new UsageError('no secret: set CAIRN_SECRET or --secret')
  const pair = Buffer.from(`${key}:${secret}`).toString('base64')
  return { url, headers: { authorization: `Basic ${pair}` } }
}

/** The sentence for a server that was not reached. Not the whole URL: it may hold the key. */
export function noAnswer(url: string, thrown: Error): Error {
  return new Error(
    `${new URL(url).origin} does not respond (${thrown.message}): start it with cairn start, or choose another server with --url`,
    { cause: thrown },
  )
}

/** Where the server of these settings listens. */
export async function usualUrl(context: Context, options: SharedOptions): Promise<string> {
  return reachedUrl((await settingsOf(context, options)).config.http)
}

/** Where its dashboard is. */
export async function usualAdminUrl(context: Context, options: SharedOptions): Promise<string> {
  return dashboardUrl((await settingsOf(context, options)).config)
}
