// Posts an event as JSON to the operator's webhook, signed as alerts are, so that receivers can check origin and age.
// Tested by test/admin/events.test.ts
import type { Clock } from '../../base/clock.ts'
import type { OutboundPost } from '../alerts/outbound-post.ts'
import { signatureOf } from '../alerts/send-alerts.ts'
import { EventRefused } from './deliver-events.ts'
import type { EventDocument } from './event-document.ts'

/** Status codes that refuse the content. Others, such as for a wrong secret or path, can be fixed, so the event is repeated. */
const refusals: readonly number[] = [400, 413, 415, 422]

/** Any status other than 2xx is a failure. */
export function createWebhookSender(parts: {
  readonly url: string
  readonly secret: string
  readonly outward: OutboundPost
  readonly clock: Pick<Clock, 'now'>
}): (event: EventDocument) => Promise<void> {
  const { url, secret, outward, clock } = parts
  return async (event) => {
    const body = JSON.stringify(event)
    const seconds = Math.floor(clock.now() / 1000)
    const status = await outward.post(url, body, {
      'x-cairn-timestamp': String(seconds),
      'x-cairn-signature': `v1=${signatureOf(secret, seconds, body)}`,
    })
    if (refusals.includes(status)) throw new EventRefused(status)
    if (status < 200 || status > 299) throw new Error(`the webhook answered ${status}`)
  }
}
