// POSTs a document to a URL that an owner configured, under the rules of base/outbound.ts.
// Tested by src/access/alerts/outbound-post.test.ts
import type { Clock } from '../../base/clock.ts'
import { createOutbound, type Resolve } from '../../base/outbound.ts'

export type OutboundPost = {
  /** Returns the status of the reply. Throws an Error with the reason if there is no reply. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number>
}

const replyBytesMax = 64 * 1024

/** `anywhere`: permits private addresses and http, if the operator enabled it. */
export function createOutboundPost(parts: {
  readonly clock: Clock
  readonly anywhere: () => boolean
  readonly resolve?: Resolve
}): OutboundPost {
  const outbound = createOutbound(parts)
  return {
    async post(url, body, headers) {
      const { status } = await outbound.request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        replyBytesMax,
      })
      return status
    },
  }
}
