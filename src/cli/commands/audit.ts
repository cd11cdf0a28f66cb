// `cairn audit`: lists changes with their authors, newest first, with the filters of the dashboard's page Audit log.
// Tested by test/cli/cli-people.test.ts
import type { Command } from 'commander'
import { AccountsRefusal, quote } from '../../access/accounts/account-rules.ts'
import type { AdminInput } from '../../admin/client.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import type { Context } from '../context.ts'
import { parseTime } from '../duration.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { UsageError } from '../usage-error.ts'

type AuditOptions = AdminOptions & {
  readonly account?: string
  readonly who?: string
  readonly what?: string
  readonly since?: number
  readonly until?: number
  readonly text?: string
  readonly limit: string
}

const limitMax = 500

export function defineAudit(command: Command, context: Context): void {
  addAdminOptions(
    command
      .option('--account <name>', 'only changes of this account')
      .option('--who <email>', 'only changes by this person: email or ID; local: the command line')
      .option(
        '--what <operations>',
        'only these operations, separated by commas: createKey,changeKey',
      )
      .option('--since <when>', 'first UTC time: 2026-01-31 or 2026-01-31T15:00Z (all)', (text) =>
        parseTime('--since', text),
      )
      .option('--until <when>', 'UTC time after the last (now)', (text) =>
        parseTime('--until', text),
      )
      .option('--text <text>', 'only entries with this text in a name, ID, operation or value')
      .option('--limit <number>', `number of entries, at most ${limitMax}`, '50'),
  )
    .addHelpText(
      'after',
      `
Examples:
  cairn audit
  cairn audit --account team --json
  cairn audit --who ada@example.org --what changeKey,revokeKey --since 2026-01-31
  cairn audit --text app.example.org`,
    )
    .action(async (options: AuditOptions) => {
      const limit = Number(options.limit)
      if (!Number.isInteger(limit) || limit < 1 || limit > limitMax) {
        throw new UsageError(`--limit is "${options.limit}", expected 1 to ${limitMax}`)
      }
      await using admin = await openAdminAccess(context, options)
      const { account, filter } = await queryOf(admin, options)
      const { records } =
        account === null
          ? await admin.call('GET /audit', { ...filter, limit })
          : await admin.call('GET /accounts/{account}/audit', { ...filter, account, limit })
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
      const text = table(headings, rows, 'No changes found.')
      print(context, options.json, { records: shown }, text)
    })
}

type AuditQuery = {
  /** Account ID; null: the log of the server. */
  readonly account: string | null
  readonly filter: Omit<AdminInput<'GET /audit'>, 'account' | 'limit'>
}

async function queryOf(admin: AdminAccess, options: AuditOptions): Promise<AuditQuery> {
  const { who, what, since, until, text } = options
  const account =
    options.account === undefined ? null : (await accountNamed(admin, options.account)).id
  return {
    account,
    filter: {
      ...(who === undefined ? {} : { actor: await actorOf(admin, account, who) }),
      ...(what === undefined ? {} : { actions: what }),
      ...(since === undefined ? {} : { from: since }),
      ...(until === undefined ? {} : { until }),
      ...(text === undefined ? {} : { text }),
    },
  }
}

/**
 * Returns the person ID for an email; other texts are IDs. For an account, owners find only its members. Throws AccountsRefusal
 * `no_person`.
 */
async function actorOf(admin: AdminAccess, account: string | null, who: string): Promise<string> {
  if (!who.includes('@')) return who
  const people =
    account === null
      ? (await admin.call('GET /people')).people
      : (await admin.call('GET /accounts/{account}/members', { account })).members.map(
          ({ personId, email }) => ({ id: personId, email }),
        )
  const found = people.find(({ email }) => email === who.trim().toLowerCase())
  if (found !== undefined) return found.id
  const what = account === null ? 'unknown person' : 'the account has no member'
  throw new AccountsRefusal('no_person', `${what} ${quote(who)}`)
}
