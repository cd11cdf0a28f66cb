// `PUT /accounts/{account}/alerts`: sets the recipients of alerts at 75, 85 and 100 % of a limit.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { JsonOperation } from '../../admin-operation.ts'
import { alertsState } from '../../audited-states.ts'
import { alertsOf, alertsOutput, shownAlerts } from './alerts-schema.ts'
import type { AlertsView } from './alerts-view.ts'
import { accountId } from '../accounts/account-schema.ts'

const input = z.strictObject({
  account: accountId,
  emails: z.array(z.email().max(254)).max(10),
  webhooks: z.array(z.string().max(2048)).max(5),
})

export const changeAlerts = {
  id: 'changeAlerts',
  method: 'PUT',
  path: '/accounts/{account}/alerts',
  role: 'owner',
  summary: 'Set the mail addresses and webhooks for alerts at 75, 85 and 100 % of a limit.',
  input,
  output: alertsOutput,
  state: alertsState,
  async run({ account, emails, webhooks }, call) {
    const alerts = alertsOf(call)
    for (const [at, url] of webhooks.entries()) validate(alerts, url, at)
    await alerts.set(account, { emails: [...new Set(emails)], webhooks: [...new Set(webhooks)] })
    return await shownAlerts(alerts, account)
  },
} satisfies JsonOperation<typeof input, typeof alertsOutput>

/** With the place in the list, for the field that it was typed into. */
function validate(alerts: AlertsView, url: string, at: number): void {
  try {
    alerts.validate(url)
  } catch (cause) {
    const { code, message } = Fault.from(cause)
    throw new Fault(code, { detail: message, data: { field: `webhooks.${at}` }, cause })
  }
}
