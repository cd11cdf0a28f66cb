// What admin operations see of alerts.
// Tested by test/admin-alerts.test.ts
import type { AlertTargetRows } from '../../../access/alerts/alert-targets.ts'

export type AlertsView = AlertTargetRows & {
  /** What documents for the webhooks of an account are signed with. */
  readonly secretOf: (accountId: string) => string
  /** False: no mail server is set, and addresses are told nothing. */
  readonly sendsMail: () => boolean
  /** Throws `bad_input` for a webhook that would never be asked. */
  readonly judge: (url: string) => void
}
