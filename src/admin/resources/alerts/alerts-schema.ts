// Schemas of alerts.
// Tested by test/admin/admin-alerts.test.ts
import { z } from 'zod'
import { Fault } from '../../../base/fault.ts'
import type { AdminCall } from '../../admin-operation.ts'
import type { AlertsView } from './alerts-view.ts'

/** `secret`: signs what webhooks are sent; `sendsMail`: the operator has set a mail server. */
export const alertsOutput = z.object({
  emails: z.array(z.string()),
  webhooks: z.array(z.string()),
  secret: z.string(),
  sendsMail: z.boolean(),
})

/** Throws `absent` at the command line, where no server watches the limits. */
export function alertsOf({ alerts }: Pick<AdminCall, 'alerts'>): AlertsView {
  if (alerts === null) throw new Fault('absent', { detail: 'alerts are sent by a running server' })
  return alerts
}

export async function shownAlerts(
  alerts: AlertsView,
  accountId: string,
): Promise<z.output<typeof alertsOutput>> {
  const { emails, webhooks } = await alerts.get(accountId)
  return {
    emails: [...emails],
    webhooks: [...webhooks],
    secret: alerts.secretOf(accountId),
    sendsMail: alerts.sendsMail(),
  }
}
