// `cairn usage`: what was asked, per hour, key, network, method and outcome; and what accounts keep.
// Tested by test/cli.test.ts
import type { Command } from 'commander'
import type { Context, SharedOptions } from './context.ts'
import { listStorage, type StorageRows } from '../ipfs/pins/storage-rows.ts'
import { listUsage } from './usage-rows.ts'
import { openData } from './open-data.ts'
import { print, table } from './report.ts'
import { addSharedOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

type Options = SharedOptions & { readonly since?: number; readonly account?: string }

export function defineUsage(command: Command, context: Context): void {
  addSharedOptions(command)
    .option(
      '--since <when>',
      'from this UTC hour on: 2026-01-31 or 2026-01-31T15:00Z (all)',
      parseWhen,
    )
    .option('--account <name>', 'only keys of this account')
    .addHelpText(
      'after',
      `
Examples:
  cairn usage
  cairn usage --since 2026-01-31 --account team --json

Counters of a running server arrive within a second. What accounts keep is of now: each block once for an account,
and once on the disk however many keep it.`,
    )
    .action(async (options: Options) => {
      await using data = await openData(context, options)
      if (options.account !== undefined) data.accounts.getAccount(options.account)
      const usage = listUsage(data, options.since ?? 0, options.account ?? null)
      const storage = listStorage(data.db, options.account ?? null)
      const headings = ['hour', 'account', 'key', 'face', 'network', 'method', 'outcome']
      const rows = usage.map((row) => [
        row.hour,
        row.account,
        row.keyId,
        row.face,
        row.network,
        row.method,
        row.outcome,
        row.requests,
        row.units,
        row.bytesIn,
        row.bytesOut,
      ])
      const numbers = ['requests', 'units', 'bytes in', 'bytes out']
      print(
        context,
        options.json,
        { usage, storage },
        [table([...headings, ...numbers], rows, 'Nothing was asked yet.'), describe(storage)].join(
          '\n\n',
        ),
      )
    })
}

function describe({ accounts, stored }: StorageRows): string {
  const headings = ['account', 'pins', 'blocks', 'bytes kept']
  const rows = accounts.map(({ account, pins, blocks, bytes }) => [account, pins, blocks, bytes])
  const all = `${stored.blocks} blocks of ${stored.bytes} bytes on the disk.`
  return `${table(headings, rows, 'Nobody keeps files.')}\n${all}`
}

/** Milliseconds since 1970 of the UTC hour that a date or time lies in. Throws UsageError. */
function parseWhen(text: string): number {
  const hourMs = 3_600_000
  const known = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const time = known ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return Math.floor(time / hourMs) * hourMs
  throw new UsageError(
    `--since is "${text}", expected a UTC date or time such as 2026-01-31T15:00Z`,
  )
}
