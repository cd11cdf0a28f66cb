// `cairn usage`: requests, as lines or as a report over a window, and the storage of accounts. Uses the operations of the
// dashboard.
// Tested by test/cli/cli.test.ts
import { type Command, Option } from 'commander'
import { usageCsv } from '../../admin/resources/usage/usage-csv.ts'
import type { UsageLine } from '../../access/usage/usage-lines.ts'
import { type WindowName, windowNames } from '../../access/usage/usage-window.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import type { Context } from '../context.ts'
import { parseTime } from '../duration.ts'
import { accountNamed } from '../named-account.ts'
import { placeOf } from '../plan-options.ts'
import { print, table } from '../report.ts'
import { describeReport } from '../usage-report-text.ts'
import { UsageError } from '../usage-error.ts'

type Options = AdminOptions & {
  readonly since?: number
  readonly span: 'minute' | 'hour' | 'day'
  readonly account?: string
  readonly key?: string
  readonly network?: string
  readonly method?: string
  readonly window?: WindowName
  readonly csv?: true
}

export function defineUsage(command: Command, context: Context): void {
  addAdminOptions(command)
    .option('--since <when>', 'first UTC hour: 2026-01-31 or 2026-01-31T15:00Z (all)', parseWhen)
    .addOption(
      new Option('--span <span>', 'interval of one line')
        .choices(['minute', 'hour', 'day'])
        .default('hour'),
    )
    .option('--account <name>', 'only keys of this account')
    .option('--key <id>', 'only this key')
    .option('--network <name>', 'only calls of this network')
    .option('--method <name>', 'only calls of this method or IPFS command')
    .addOption(
      new Option('--window <window>', 'report over this time, up to now').choices(windowNames),
    )
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      `
Examples:
  cairn usage
  cairn usage --window 24h
  cairn usage --since 2026-01-31 --account team --json
  cairn usage --window 30d --key <id> --json
  cairn usage --window 7d --network mainnet --method eth_call
  cairn usage --span day --csv > usage.csv

A running server writes its counters every second. Cairn stores minutes for 26 hours, hours for 35 days, and days for
usage.keepDays. Storage figures are current: each block counts once per account, and once on disk.`,
    )
    .action(async (options: Options) => {
      if (options.window !== undefined && (options.csv || options.since !== undefined)) {
        throw new UsageError('--window cannot be combined with --csv or --since')
      }
      if (options.csv && options.json) throw new UsageError('use either --csv or --json')
      await using admin = await openAdminAccess(context, options)
      if (options.window !== undefined) await report(context, admin, options, options.window)
      else await list(context, admin, options)
    })
}

async function report(
  context: Context,
  admin: AdminAccess,
  { account, key, network, method, json }: Options,
  window: WindowName,
): Promise<void> {
  const filters = { window, ...present({ network, method }) }
  if (key !== undefined) {
    const { report: used } = await admin.call('GET /accounts/{account}/keys/{key}/usage', {
      ...(await placeOf(admin, key)),
      ...filters,
    })
    print(context, json, { report: used }, describeReport(used, null))
  } else if (account !== undefined) {
    const { id } = await accountNamed(admin, account)
    const used = await admin.call('GET /accounts/{account}/usage', { account: id, ...filters })
    print(context, json, used, describeReport(used.report, used.storage))
  } else {
    const { report: used } = await admin.call('GET /usage', filters)
    print(context, json, { report: used }, describeReport(used, null))
  }
}

async function list(context: Context, admin: AdminAccess, options: Options): Promise<void> {
  const { lines, storage, nameOf } = await linesOf(admin, options)
  if (options.csv) {
    context.out(usageCsv(lines))
    return
  }
  const usage = lines.map(({ start, accountId, ...line }) => {
    const time = new Date(start).toISOString()
    return { [options.span]: time, account: nameOf(accountId), ...line }
  })
  const headings = ['account', 'key', 'face', 'network', 'method', 'outcome', 'reason', 'status']
  const numbers = ['requests', 'units', 'bytes in', 'bytes out']
  const rows = lines.map((line) => [
    new Date(line.start).toISOString(),
    nameOf(line.accountId),
    line.keyId,
    line.face,
    line.network,
    line.method,
    line.outcome,
    line.reason,
    line.status,
    line.requests,
    line.units,
    line.bytesIn,
    line.bytesOut,
  ])
  const requestsTable = table([options.span, ...headings, ...numbers], rows, 'No requests.')
  print(
    context,
    options.json,
    { usage, storage },
    [requestsTable, describeStorage(storage)].join('\n\n'),
  )
}

type Storage = {
  readonly accounts: readonly {
    readonly account: string
    readonly pins: number
    readonly blocks: number
    readonly bytes: number
    readonly logicalBytes: number
  }[]
  /** Absent if one account is selected. */
  readonly stored?: { readonly blocks: number; readonly bytes: number }
}

type Listed = {
  readonly lines: readonly UsageLine[]
  readonly storage: Storage
  readonly nameOf: (accountId: string) => string
}

async function linesOf(
  admin: AdminAccess,
  { account, key, network, method, span, since = 0 }: Options,
): Promise<Listed> {
  const filters = { span, since, ...present({ key, network, method }) }
  if (account === undefined) {
    const { lines, storage } = await admin.call('GET /usage/lines', filters)
    const names = new Map(
      (await admin.call('GET /accounts')).accounts.map(({ id, name }) => [id, name]),
    )
    const accounts = storage.accounts.map(
      ({ account: name, pins, blocks, bytes, logicalBytes }) => ({
        account: name,
        pins,
        blocks,
        bytes,
        logicalBytes,
      }),
    )
    const nameOf = (accountId: string) => names.get(accountId) ?? accountId
    return { lines, storage: { accounts, stored: storage.stored }, nameOf }
  }
  const { id } = await accountNamed(admin, account)
  const { lines } = await admin.call('GET /accounts/{account}/usage/lines', {
    account: id,
    ...filters,
  })
  const { storage } = await admin.call('GET /accounts/{account}/usage', {
    account: id,
    window: '15m',
  })
  const { physicalBytes: bytes, ...counts } = storage
  const accounts = storage.blocks === 0 ? [] : [{ account, ...counts, bytes }]
  return { lines, storage: { accounts }, nameOf: () => account }
}

function describeStorage({ accounts, stored }: Storage): string {
  const headings = ['account', 'pins', 'blocks', 'bytes stored', 'bytes below pins']
  const rows = accounts.map(({ account, pins, blocks, bytes, logicalBytes }) => [
    account,
    pins,
    blocks,
    bytes,
    logicalBytes,
  ])
  const storedTable = table(headings, rows, 'No stored files.')
  if (stored === undefined) return storedTable
  return `${storedTable}\n${stored.blocks} blocks of ${stored.bytes} bytes on the disk.`
}

/** Removes undefined members. */
function present<Name extends string>(
  options: Readonly<Record<Name, string | undefined>>,
): { readonly [Given in Name]?: string } {
  const provided = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(provided) as { readonly [Given in Name]?: string }
}

/** Start of the UTC hour that contains the date or time, in milliseconds since 1970. Throws UsageError. */
function parseWhen(text: string): number {
  const hourMs = 3_600_000
  return Math.floor(parseTime('--since', text) / hourMs) * hourMs
}
