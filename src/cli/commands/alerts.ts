// `cairn alerts list|add|remove|send-to`: rules on errors and latency of an account, and the recipients of its alerts.
// Tested by test/cli/cli-alerts.test.ts
import { type Command, Option } from 'commander'
import { type AlertRule, measures, ruleName } from '../../access/alerts/alert-targets.ts'
import type { AdminReply } from '../../admin/client.ts'
import {
  addAdminOptions,
  type AdminAccess,
  type AdminOptions,
  openAdminAccess,
} from '../admin-access.ts'
import type { Context } from '../context.ts'
import { accountNamed } from '../named-account.ts'
import { showTime } from '../open-data.ts'
import { print, table } from '../report.ts'
import { asTyped } from '../typed-command.ts'
import { UsageError } from '../usage-error.ts'

type Alerts = AdminReply<'GET /accounts/{account}/alerts'>
type RuleOptions = AdminOptions & {
  readonly measure: AlertRule['measure']
  readonly above: number
  readonly minutes: number
  readonly key?: string
}
type TargetOptions = AdminOptions & {
  readonly email: readonly string[]
  readonly webhook: readonly string[]
}

export function defineAlerts(command: Command, context: Context): void {
  addAdminOptions(
    command.command('list <account>').description('list the rules and recipients of an account'),
  )
    .addHelpText('after', '\nExample:\n  cairn alerts list team --json')
    .action(async (name: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { alerts } = await alertsOf(admin, name)
      printAlerts(context, options, alerts)
    })
  addAdminOptions(command.command('add <account>').description('add a rule on errors or latency'))
    .addOption(
      new Option('--measure <measure>', 'errors, failed: percent of calls; p95, p99: milliseconds')
        .choices(measures)
        .makeOptionMandatory(),
    )
    .requiredOption('--above <number>', 'percent or milliseconds', numberOf('--above'))
    .option('--minutes <number>', 'length of the window, 1 to 60', numberOf('--minutes'), 5)
    .option('--key <id>', 'only calls of this key')
    .addHelpText(
      'after',
      `
Examples:
  cairn alerts add team --measure errors --above 5
  cairn alerts add team --measure p95 --above 500 --minutes 15 --key <id>

Cairn sends one alert when a rule is broken by at least 20 calls, and one when it is resolved.`,
    )
    .action(async (name: string, { measure, above, minutes, key, ...options }: RuleOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { account, alerts } = await alertsOf(admin, name)
      const rule = { measure, above, minutes, key: key ?? null }
      const changed = await change(admin, account, alerts, { rules: [...sentRules(alerts), rule] })
      printAlerts(context, options, changed)
    })
  addAdminOptions(
    command
      .command('remove <account> <number>')
      .description('remove a rule by its number in `cairn alerts list`'),
  )
    .addHelpText('after', '\nExample:\n  cairn alerts remove team 1')
    .action(async (name: string, number: string, options: AdminOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { account, alerts } = await alertsOf(admin, name)
      const at = Number(number) - 1
      if (alerts.rules[at] === undefined) {
        const most = alerts.rules.length
        const expected = most === 0 ? 'but the account has no rules' : `expected 1 to ${most}`
        throw new UsageError(`the number of the rule is "${number}", ${expected}`)
      }
      const rules = sentRules(alerts).toSpliced(at, 1)
      printAlerts(context, options, await change(admin, account, alerts, { rules }))
    })
  addAdminOptions(
    command
      .command('send-to <account>')
      .description('set who receives alerts; without options, none are sent')
      .option('--email <address>', 'mail address; repeatable', collect, [])
      .option('--webhook <url>', 'https URL; repeatable', collect, []),
  )
    .addHelpText(
      'after',
      '\nExample:\n  cairn alerts send-to team --email ops@example.org --webhook https://hooks.example.org/cairn',
    )
    .action(async (name: string, { email, webhook, ...options }: TargetOptions) => {
      await using admin = await openAdminAccess(context, options)
      const { account, alerts } = await alertsOf(admin, name)
      const sent = { emails: [...email], webhooks: [...webhook] }
      printAlerts(context, options, await change(admin, account, alerts, sent))
    })
}

async function alertsOf(
  admin: AdminAccess,
  name: string,
): Promise<{ readonly account: string; readonly alerts: Alerts }> {
  const { id: account } = await accountNamed(admin, name)
  return { account, alerts: await admin.call('GET /accounts/{account}/alerts', { account }) }
}

function sentRules({ rules }: Alerts): AlertRule[] {
  return rules.map(({ since: _since, ...rule }) => rule)
}

async function change(
  admin: AdminAccess,
  account: string,
  { emails, webhooks }: Alerts,
  changed: { rules?: AlertRule[]; emails?: string[]; webhooks?: string[] },
): Promise<Alerts> {
  const sent = { account, emails, webhooks, ...changed }
  return await admin.call('PUT /accounts/{account}/alerts', sent)
}

function printAlerts(context: Context, { json }: AdminOptions, alerts: Alerts): void {
  const rows = alerts.rules.map((rule, at) => [
    at + 1,
    ruleName(rule),
    rule.since === null ? 'ok' : `broken since ${showTime(rule.since)}`,
  ])
  const recipients = [...alerts.emails, ...alerts.webhooks]
  const text = [
    table(['number', 'rule', 'state'], rows, 'No rules: "cairn alerts add" adds one.'),
    recipients.length === 0
      ? 'No recipients: "cairn alerts send-to" sets them.'
      : `Sent to ${recipients.join(', ')}`,
    ...(alerts.sendsMail || alerts.emails.length === 0
      ? []
      : ['No mail is sent: set a mail server in mail.url.']),
  ].join('\n')
  // `--json` includes the signing secret, for the program that receives the webhooks.
  print(context, json, alerts, asTyped(context, text))
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

function numberOf(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isFinite(value)) return value
    throw new UsageError(`${flag} is "${text}", expected a number`)
  }
}
