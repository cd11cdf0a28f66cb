// Opens the delivery of audit and sign-in events to the configured receivers.
// Tested by test/admin/events.test.ts
import { randomUUID } from 'node:crypto'
import { createOutboundPost } from '../access/alerts/outbound-post.ts'
import {
  createEventDelivery,
  type EventDelivery,
  type EventTarget,
} from '../access/events/deliver-events.ts'
import type { EventDocument } from '../access/events/event-document.ts'
import { createSyslogSender } from '../access/events/send-syslog.ts'
import { createWebhookSender } from '../access/events/send-webhook.ts'
import { holdWhile, type Leases } from '../base/leases.ts'
import type { Clock } from '../base/clock.ts'
import type { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/settings.ts'
import type { Rows } from '../db/rows.ts'

export type OpenEvents = {
  /** `address`: client address; null: addresses are not recorded. */
  signInRefused(fault: Fault, address: string | null): void
  /** Counts by receiver. */
  counts(): ReadonlyMap<EventTarget, EventDelivery['counts']>
  stop(): Promise<void>
}

export function openEvents(parts: {
  readonly config: Pick<Config, 'events'>
  readonly rows: Rows
  readonly leases: Leases
  readonly clock: Clock
  readonly log: Log
}): OpenEvents {
  const { clock } = parts
  const { webhook, webhookSecret, syslog } = parts.config.events
  let sendsAudit = false
  const giveUp =
    webhook === null && syslog === null
      ? async () => {}
      : holdWhile(parts.leases, 'events', () => {
          sendsAudit = true
          return () => {
            sendsAudit = false
          }
        })
  const deliveries = new Map<EventTarget, EventDelivery>()
  const open = (target: EventTarget, send: (event: EventDocument) => Promise<void>): void => {
    deliveries.set(
      target,
      createEventDelivery({ ...parts, target, send, sendsAudit: () => sendsAudit }),
    )
  }
  if (webhook !== null && webhookSecret !== null) {
    // The operator configured this URL, so it may be an address of the internal network.
    const outward = createOutboundPost({ clock, anywhere: () => true })
    open('webhook', createWebhookSender({ url: webhook, secret: webhookSecret, outward, clock }))
  }
  const sender = syslog === null ? null : createSyslogSender(syslog)
  if (sender !== null) open('syslog', sender.send)

  return {
    signInRefused({ code }, address) {
      const event: EventDocument = {
        id: randomUUID(),
        type: 'sign_in_refused',
        time: new Date(clock.now()).toISOString(),
        code,
        ...(address === null ? {} : { address }),
      }
      for (const delivery of deliveries.values()) delivery.add(event)
    },
    counts: () => new Map([...deliveries].map(([target, { counts }]) => [target, counts])),
    async stop() {
      await Promise.all([...deliveries.values()].map((delivery) => delivery.stop()))
      await giveUp()
      sender?.stop()
    },
  }
}
