// Alert functions for admin operations.
// Tested by test/admin/admin-alerts.test.ts
import type { AlertTargetRows } from '../../../access/alerts/alert-targets.ts'

export type AlertsView = AlertTargetRows & {
  /** Rules that are broken now, by their names; `since`: milliseconds since 1970. */
  readonly incidents: (
    accountId: string,
  ) => Promise<readonly { readonly what: string; readonly since: number }[]>
  /** What documents for the webhooks of an account are signed with. */
  readonly secretOf: (accountId: string) => string
  /** False: no mail server is configured, so addresses receive no mail. */
  readonly sendsMail: () => boolean
  /** Throws `bad_input` for a webhook that would never be asked. */
  readonly validate: (url: string) => void
}
