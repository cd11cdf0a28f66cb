// Schemas of alerts.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import { measures, ruleName } from '../../../access/alerts/alert-targets.ts'
import type { AlertsView } from './alerts-view.ts'

/** Maximum number of rules of an account; each is checked every 10 s. */
export const rulesMax = 10

export const alertRule = z.strictObject({
  /** `errors`, `failed`: share of calls without an answer, or failed on the server's side; `p95`, `p99`: latency. */
  measure: z.enum(measures),
  /** Percent of calls, or milliseconds. */
  above: z.number().positive().max(600_000),
  /** Length of the window, which ends now. */
  minutes: z.int().min(1).max(60),
  /** ID of a key; null: all calls of the account. */
  key: z.string().max(128).nullable(),
})

/** `secret`: signs the bodies of webhooks; `sendsMail`: the operator has configured a mail server. */
export const alertsOutput = z.object({
  emails: z.array(z.string()),
  webhooks: z.array(z.string()),
  /** `since`: start of the rule's current violation, milliseconds since 1970; null: none. */
  rules: z.array(z.object({ ...alertRule.shape, since: z.int().nullable() })),
  secret: z.string(),
  sendsMail: z.boolean(),
})

export async function shownAlerts(
  alerts: AlertsView,
  accountId: string,
): Promise<z.output<typeof alertsOutput>> {
  const { emails, webhooks, rules } = await alerts.get(accountId)
  const incidents = new Map(
    (await alerts.incidents(accountId)).map(({ what, since }) => [what, since]),
  )
  return {
    emails: [...emails],
    webhooks: [...webhooks],
    rules: rules.map((rule) => ({ ...rule, since: incidents.get(ruleName(rule)) ?? null })),
    secret: alerts.secretOf(accountId),
    sendsMail: alerts.sendsMail(),
  }
}
