// Alert functions for admin operations.
// Tested by test/admin/admin-alerts.test.ts
import type { AlertSender } from '../../../access/alerts/send-alerts.ts'
import type { AlertTargetRows } from '../../../access/alerts/alert-targets.ts'

export type AlertsView = AlertTargetRows & {
  /** Rules that are violated now, by name; `since`: milliseconds since 1970. */
  readonly incidents: (
    accountId: string,
  ) => Promise<readonly { readonly what: string; readonly since: number }[]>
  /** The secret that signs the webhooks of an account. */
  readonly secretOf: (accountId: string) => string
  /** False: no mail server is configured, so addresses receive no mail. */
  readonly sendsMail: () => boolean
  /** Throws `bad_input` for a webhook URL to which Cairn would never send requests. */
  readonly validate: (url: string) => void
  /** Null if no server runs. */
  readonly test: AlertSender['test'] | null
}
