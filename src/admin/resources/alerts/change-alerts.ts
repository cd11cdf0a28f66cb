// `PUT /accounts/{account}/alerts`: sets the recipients of alerts, and the rules on errors and latency.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import { type AlertRule, ruleName } from '../../../access/alerts/alert-targets.ts'
import { Fault } from '../../../base/fault.ts'
import type { AdminCall, JsonOperation } from '../../admin-operation.ts'
import { alertsState } from '../../audited-states.ts'
import { alertRule, alertsOutput, rulesMax, shownAlerts } from './alerts-schema.ts'
import type { AlertsView } from './alerts-view.ts'
import { accountId } from '../accounts/account-schema.ts'
import { keyOf } from '../keys/key-schema.ts'

const input = z.strictObject({
  account: accountId,
  emails: z.array(z.email().max(254)).max(10),
  webhooks: z.array(z.string().max(2048)).max(5),
  /** Absent: unchanged. */
  rules: z.array(alertRule).max(rulesMax).optional(),
})

export const changeAlerts = {
  id: 'changeAlerts',
  method: 'PUT',
  path: '/accounts/{account}/alerts',
  role: 'owner',
  summary:
    'Set the mail addresses and webhooks for alerts on limits, and the rules on errors and latency.',
  input,
  output: alertsOutput,
  state: alertsState,
  async run({ account, emails, webhooks, rules }, call) {
    const { alerts } = call
    for (const [at, url] of webhooks.entries()) validate(alerts, url, at)
    for (const [at, rule] of rules?.entries() ?? []) await checkRule(call, account, rule, at)
    const known = rules ?? (await alerts.get(account)).rules
    await alerts.set(account, {
      emails: [...new Set(emails)],
      webhooks: [...new Set(webhooks)],
      rules: [...new Map(known.map((rule) => [ruleName(rule), rule])).values()],
    })
    return await shownAlerts(alerts, account)
  },
} satisfies JsonOperation<typeof input, typeof alertsOutput>

/** Adds the index in the list to the error, so that a form can mark the field. */
function validate(alerts: AlertsView, url: string, at: number): void {
  try {
    alerts.validate(url)
  } catch (cause) {
    const { code, message } = Fault.from(cause)
    throw new Fault(code, { detail: message, data: { field: `webhooks.${at}` }, cause })
  }
}

/** Throws `bad_input` for a share of 100 % or more, `absent` for a key of another account. */
async function checkRule(
  { accounts }: Pick<AdminCall, 'accounts'>,
  account: string,
  { measure, above, key }: AlertRule,
  at: number,
): Promise<void> {
  if ((measure === 'errors' || measure === 'failed') && above >= 100) {
    const detail = `a share of ${above} % is never exceeded: choose less than 100`
    throw new Fault('bad_input', { detail, data: { field: `rules.${at}.above` } })
  }
  if (key !== null) await keyOf(accounts, account, key)
}
