// Opens alerts: the watched conditions, the recipients, and the owners' settings.
// Tested by test/admin-alerts.test.ts
import { createHmac } from 'node:crypto'
import type { Accounts } from '../access/accounts/accounts.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/sqlite.ts'
import type { Rows } from '../db/rows.ts'
import type { AlertsView } from '../admin/resources/alerts/alerts-view.ts'
import { storedBytes } from '../ipfs/pins/account-storage.ts'
import { createAlertTargetRows } from '../access/alerts/alert-targets.ts'
import { createAlertWatch } from '../access/alerts/alert-watch.ts'
import { createOutboundPost, parseTarget } from '../access/alerts/outbound-post.ts'
import { createAlertSender } from '../access/alerts/send-alerts.ts'
import { createMailer } from '../access/alerts/send-mail.ts'
import type { Usage } from '../access/usage/usage.ts'

export type OpenAlerts = { readonly view: AlertsView; stop(): void }

/** `sealSecret`: unchanged for the life of the data folder; webhook secrets are derived from it. */
export function openAlerts(parts: {
  readonly accounts: Accounts
  readonly usage: Usage
  readonly sealSecret: () => Uint8Array
  readonly settings: { readonly now: Config }
  readonly db: Database
  readonly rows: Rows
  readonly clock: Clock
  readonly log: Log
}): OpenAlerts {
  const { accounts, usage, settings, db, clock, log } = parts
  const targets = createAlertTargetRows(parts)
  const anywhere = () => settings.now.alerts.webhooksAnywhere
  const mailer = createMailer(() => settings.now.mail)
  const secretOf = (accountId: string) =>
    `cairnw_${createHmac('sha256', parts.sealSecret()).update(`webhook ${accountId}`).digest('base64url')}`
  const sender = createAlertSender({
    outward: createOutboundPost({ clock, anywhere }),
    mailer,
    secretOf,
    clock,
    log,
  })
  const watch = createAlertWatch({
    ...parts,
    targets,
    async findAccount(accountId) {
      const { name, settings: limits } = await accounts.getAccountById(accountId)
      const held = await accounts.listKeysOf(accountId)
      const keys = held.filter(({ revoked }) => revoked === null)
      return { name, settings: limits, keys }
    },
    storedBytes: (accountId) => storedBytes(db, accountId).bytes,
    send: sender.send,
    usage,
  })
  return {
    view: {
      ...targets,
      secretOf,
      sendsMail: mailer.canSend,
      validate: (url) => void parseTarget(url, anywhere()),
    },
    stop() {
      watch.stop()
      sender.stop()
    },
  }
}
