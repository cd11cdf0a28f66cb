// `cairn audit`: who changed what, the newest first.
// Tested by test/cli/cli-people.test.ts
import type { Command } from 'commander'
import { addAdminOptions, type AdminOptions, openAdminAccess } from '../admin-access.ts'
import type { Context } from '../context.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { UsageError } from '../usage-error.ts'

type AuditOptions = AdminOptions & { readonly account?: string; readonly limit: string }

const limitMax = 500

export function defineAudit(command: Command, context: Context): void {
  addAdminOptions(
    command
      .option('--account <name>', 'only changes of this account')
      .option('--limit <number>', `number of entries, at most ${limitMax}`, '50'),
  )
    .addHelpText('after', '\nExamples:\n  cairn audit\n  cairn audit --account team --json')
    .action(async (options: AuditOptions) => {
      const limit = Number(options.limit)
      if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
        throw new UsageError(`--limit is "${options.limit}", expected 1 to ${limitMax}`)
      }
      await using admin = await openAdminAccess(context, options)
      const { records } =
        options.account === undefined
          ? await admin.call('GET /audit', { limit })
          : await admin.call('GET /accounts/{account}/audit', {
              account: (await accountNamed(admin, options.account)).id,
              limit,
            })
      const rows = records.map((one) => [
        showTime(one.time),
        one.actorName,
        one.action,
        one.targetName ?? one.target,
        one.previous === null ? '' : JSON.stringify(one.previous),
        JSON.stringify(one.changes),
      ])
      const headings = ['time', 'who', 'what', 'of', 'was', 'is now']
      const shown = records.map(({ time, ...rest }) => ({ ...rest, time: showTime(time) }))
      const text = table(headings, rows, 'No changes recorded.')
      print(context, options.json, { records: shown }, text)
    })
}
