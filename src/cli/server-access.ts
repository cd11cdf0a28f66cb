// How a command connects to a running server: its URL, and a key with its secret.
// Tested by test/cli/import-pins.test.ts
import type { Command } from 'commander'
import { readServerCertificate } from '../http/tls-certificate.ts'
import { dashboardUrl, reachedUrl, tlsFilesOf } from '../server/open-access.ts'
import type { Context, SharedOptions } from './context.ts'
import { settingsOf } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

export type ServerOptions = SharedOptions & {
  readonly url?: string
  readonly key?: string
  readonly secret?: string
}

export type ServerAccess = UsualServer & {
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

/** `pinned`: the server's certificate as PEM text. It does not name loopback addresses, but this machine has the file. */
export type UsualServer = { readonly url: string; readonly pinned?: string }

export function addServerOptions(command: Command): Command {
  return command
    .option('--url <url>', 'running server (or CAIRN_URL; else from the settings)')
    .option('--key <key>', 'API key (or CAIRN_KEY)')
    .option(
      '--secret <secret>',
      'API key secret (prefer CAIRN_SECRET: other users can see arguments)',
    )
}

/** Throws UsageError if something is missing, and ConfigError. */
export async function serverAccess(
  context: Context,
  options: ServerOptions,
): Promise<ServerAccess> {
  const server = await serverOf(context, options)
  const key = options.key ?? context.env['CAIRN_KEY'] ?? ''
  const secret = options.secret ?? context.env['CAIRN_SECRET'] ?? ''
  if (key === '') throw new UsageError('no API key: set --key or CAIRN_KEY')
  if (secret === '') throw new UsageError('no secret: set CAIRN_SECRET or --secret')
  const pair = Buffer.from(`${key}:${secret}`).toString('base64')
  return { ...server, headers: { authorization: `Basic ${pair}` } }
}

/** `--url`, CAIRN_URL, or the listen address of the settings. Throws UsageError, ConfigError. */
export async function serverOf(
  context: Context,
  options: SharedOptions & Pick<ServerOptions, 'url'>,
): Promise<UsualServer> {
  const named = options.url ?? (context.env['CAIRN_URL'] || null)
  const server = named === null ? await usualServer(context, options) : { url: named }
  const { url } = server
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`--url is "${url}", expected http://<host>:<port>`)
  }
  return server
}

/** The error for a server that did not respond. Omits the path of the URL, because it may contain the key. */
export function noAnswer(url: string, thrown: Error): Error {
  return new Error(
    `${new URL(url).origin} does not respond (${thrown.message}): start it with cairn start, or choose another server with --url`,
    { cause: thrown },
  )
}

/** The listen address of these settings. */
export async function usualServer(context: Context, options: SharedOptions): Promise<UsualServer> {
  const { http } = (await settingsOf(context, options)).config
  const files = tlsFilesOf(http)
  const url = reachedUrl(http, files !== null)
  return files === null
    ? { url }
    : { url, pinned: await readServerCertificate(files.certificateFile) }
}

/** The URL of the dashboard. */
export async function usualAdminUrl(context: Context, options: SharedOptions): Promise<string> {
  return dashboardUrl((await settingsOf(context, options)).config)
}
