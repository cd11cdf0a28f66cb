// `cairn keys try`: would the server accept this request? Requires the server, because it knows its networks and the key's usage.
// Tested by test/cli/cli-keys.test.ts
import type { Command } from 'commander'
import type { AdminReply } from '../../admin/client.ts'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { placeOf } from '../plan-options.ts'
import { FoundBad, print } from '../report.ts'
import { UsageError } from '../usage-error.ts'

type Options = AdminOptions & {
  readonly files?: true
  readonly network?: string
  readonly params?: readonly unknown[]
  readonly about?: readonly string[]
  readonly bodyBytes?: number
  readonly withSecret?: true
  readonly origin?: string
  readonly userAgent?: string
  readonly ip?: string
}

export function defineTry(command: Command, context: Context): void {
  addAdminOptions(
    command
      .command('try <id> <method>')
      .description('test whether a request would pass, without running it'),
  )
    .option('--files', 'treat the method as an IPFS command, such as pin/add')
    .option('--network <name>', 'network of the call (the default network)')
    .option('--params <json>', 'parameters of the call, as a JSON array', parseParams)
    .option(
      '--about <address>',
      'contract address of the call, instead of --params; repeatable',
      addEntry,
    )
    .option('--body-bytes <number>', 'size of an upload', parseBytes)
    .option('--with-secret', 'include the secret')
    .option('--origin <origin>', 'Origin header of a page')
    .option('--user-agent <text>', 'User-Agent header')
    .option('--ip <address>', 'client address')
    .addHelpText(
      'after',
      `
Examples:
  cairn keys try <id> eth_call --about 0x295a70b2De5e3953354A6A8344E616ed314d7251 --origin https://app.example
  cairn keys try <id> pin/add --files --with-secret

Prints the setting that refuses the request; the exit code is then 1. The command needs a running server and CAIRN_TOKEN.`,
    )
    .action(async (id: string, method: string, options: Options) => {
      await using admin = await openAdminAccess(context, options)
      const { network, params, origin, userAgent, ip, bodyBytes } = options
      const verdict = await admin.call('POST /accounts/{account}/keys/{key}/try', {
        ...(await placeOf(admin, id)),
        face: options.files === true ? 'files' : 'rpc',
        method,
        network,
        params: params === undefined ? undefined : [...params],
        addresses: options.about === undefined ? undefined : [...options.about],
        bodyBytes,
        secret: options.withSecret === true,
        origin,
        userAgent,
        ip,
      })
      print(context, options.json, verdict, describe(verdict))
      if (!verdict.passes) throw new FoundBad()
    })
}

type Verdict = AdminReply<'POST /accounts/{account}/keys/{key}/try'>

function describe({ units, refusal, unjudged }: Verdict): string {
  const open = unjudged.map(
    (setting) => `${setting} was not checked: the request does not contain it.`,
  )
  if (refusal === null) return [`The request passes, for ${units} units.`, ...open].join('\n')
  const { message, code, status, rule, waitSeconds } = refusal
  const lines = [`The request is refused: ${message} (${code}, HTTP ${status}).`]
  if (rule !== null) lines.push(`Setting: ${rule.setting}, of the ${rule.of}.`)
  if (waitSeconds !== null) lines.push(`It passes after ${waitSeconds} s.`)
  return [...lines, ...open].join('\n')
}

function addEntry(entry: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), entry]
}

function parseParams(text: string): readonly unknown[] {
  try {
    const params: unknown = JSON.parse(text)
    if (Array.isArray(params)) return params
  } catch {
    // Reported below, as for other values that are not an array.
  }
  throw new UsageError(`--params is "${text.slice(0, 80)}", expected a JSON array`)
}

function parseBytes(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`--body-bytes is "${text}", expected a whole number`)
}
