// `POST /hooks/stripe`: webhook events from Stripe. Open to any address and any Host, because the signature over the raw body
// authenticates them. An event that could not be processed gets an error, so that Stripe sends it again.
// Tested by test/admin/card-started.test.ts
import type { Cards } from '../../access/cards/cards.ts'
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { boundedDeadlines, createDeadlines } from '../../http/deadlines.ts'
import type { RequestHandler, NodeExchange } from '../../http/node-exchange.ts'
import { sendAdminRefusal, sendJson } from './admin-reply.ts'

export const stripeHookPath = '/hooks/stripe'

export type StripeHookParts = {
  readonly cards: Pick<Cards, 'adapter' | 'handleWebhook'>
  readonly clock: Clock
  readonly log: Log
}

const bodyBytesMax = 262_144
const bodyMs = 10_000
/** Maximum number of concurrent reads of bodies, and of events handled concurrently. */
const noticesMax = 32

/** Replies to every exchange itself and does not throw. */
export function createStripeHook({ cards, clock, log }: StripeHookParts): RequestHandler {
  // Any client can send an event. One more than this limit aborts the oldest read, so forged events cannot block real ones.
  const deadlines = boundedDeadlines(createDeadlines(bodyMs, clock), noticesMax)
  let notices = 0

  async function handle(exchange: NodeExchange): Promise<void> {
    const { request } = exchange
    if (cards.adapter !== 'stripe') {
      throw new Fault('absent', { detail: `card.adapter is ${cards.adapter}, not stripe` })
    }
    const signatures = request.headersDistinct['stripe-signature'] ?? []
    const [signature] = signatures
    if (signature === undefined || signatures.length > 1) {
      throw new Fault('bad_input', { detail: 'expected one Stripe-Signature' })
    }
    if (request.headers['content-encoding'] !== undefined) throw new Fault('wrong_media')
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw new Fault('too_large')
    exchange.acceptBody()
    const body = await exchange.readBody(bodyBytesMax, deadlines)
    if (body.ending === 'over') throw new Fault('too_large')
    if (body.ending === 'gone') throw new Fault('hung_up')
    if (body.ending === 'late') throw new Fault('body_deadline')
    if (notices >= noticesMax) throw new Fault('overloaded')
    notices++
    const outcome = await cards.handleWebhook(body.bytes, signature).finally(() => notices--)
    log('debug', 'card_notice', { requestId: exchange.requestId, outcome })
    sendJson(exchange.response, { received: true })
  }

  return async (exchange) => {
    const isPost = exchange.request.method === 'POST'
    exchange.response.setHeader('x-request-id', exchange.requestId)
    try {
      if (!isPost) throw new Fault('wrong_http')
      await handle(exchange)
    } catch (thrown) {
      const fault = Fault.from(thrown)
      const { requestId } = exchange
      // Any client can send invalid events: log only the errors of signed ones.
      const forged = fault.row.status < 500
      log(forged ? 'debug' : 'warn', 'card_notice_refused', {
        requestId,
        code: fault.code,
        ...(forged ? {} : { cause: fault.cause }),
      })
      sendAdminRefusal(exchange, fault, isPost ? null : 'POST')
    }
  }
}
