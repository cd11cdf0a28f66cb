// Stripe as PaymentProvider: the only importer of its library, which is loaded only if the settings select it.
// Tested by src/access/cards/cards.test.ts
import type { Stripe as StripeClient } from 'stripe'
import { Fault } from '../../base/fault.ts'
import {
  type PaymentProvider,
  type StoredCard,
  type WebhookEvent,
  webhookAgeSeconds,
} from './payment-provider.ts'

export type StripeSettings = {
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string
  /** Origin of the API; `http:` only for loopback. */
  readonly apiUrl: string
}

const timeoutMs = 10_000
const retries = 1
/** Page size of a request; newest first. */
const cardsMax = 100
/** Other event types are ignored. */
const noticeTypes = /^(?:customer|payment_method|setup_intent)\./

/** Rejects with an Error for the operator if the library is not installed. */
export async function openStripe(settings: StripeSettings): Promise<PaymentProvider> {
  const { Stripe } = await loadLibrary()
  const { hostname, port, protocol } = new URL(settings.apiUrl)
  const stripe = new Stripe(settings.secretKey, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port: Number(port) }),
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
  })
  const isMissing = (thrown: unknown): boolean =>
    thrown instanceof Stripe.errors.StripeInvalidRequestError && thrown.code === 'resource_missing'

  /** `ifMissing`: the result if the object does not exist. */
  async function request<Answer>(send: () => Promise<Answer>, ifMissing?: Answer): Promise<Answer> {
    try {
      return await send()
    } catch (cause) {
      if (ifMissing !== undefined && isMissing(cause)) return ifMissing
      if (cause instanceof Stripe.errors.StripeError) {
        const detail = 'the payment provider does not answer, try again in a minute'
        throw new Fault('no_upstream', { detail, cause: withoutSecrets(cause) })
      }
      throw cause
    }
  }

  return {
    publishableKey: settings.publishableKey,

    async createCustomer({ accountId, name }, idempotencyKey) {
      const fields = { name, metadata: { cairn_account: accountId } }
      const { id } = await request(() => stripe.customers.create(fields, { idempotencyKey }))
      return id
    },

    async createForm(customer, idempotencyKey) {
      const created = await request(
        () =>
          stripe.setupIntents.create(
            { customer, usage: 'off_session', allowed_payment_method_types: ['card'] },
            { idempotencyKey },
          ),
        null,
      )
      if (created === null) return null
      if (created.client_secret === null)
        throw new Error(`setup intent ${created.id} has no client secret`)
      return { id: created.id, clientSecret: created.client_secret }
    },

    async readCards(customer) {
      // Stripe still returns a deleted customer. An unknown customer belongs to another Stripe account: forgetting its card would
      // not be undone when the operator corrects the API keys.
      const found = await request(() => stripe.customers.retrieve(customer))
      if (found.deleted === true) return null
      const listed = await request(() =>
        stripe.customers.listPaymentMethods(customer, { type: 'card', limit: cardsMax }),
      )
      return {
        cards: listed.data.flatMap(toCard),
        defaultId: idOf(found.invoice_settings.default_payment_method),
      }
    },

    async useCard(customer, cardId) {
      const fields = { invoice_settings: { default_payment_method: cardId } }
      await request(() => stripe.customers.update(customer, fields), null)
    },

    async dropCard(cardId) {
      await request(() => stripe.paymentMethods.detach(cardId), null)
    },

    readNotice(body, signature, now) {
      let event: Readonly<Record<string, unknown>>
      try {
        event = stripe.webhooks.constructEvent(
          body,
          signature,
          settings.webhookSecret,
          webhookAgeSeconds,
          undefined,
          now,
        ) as unknown as Readonly<Record<string, unknown>>
      } catch (cause) {
        const detail = 'not signed with the secret of this webhook, or too long ago'
        throw new Fault('bad_input', { detail, cause })
      }
      return toNotice(event)
    },
  }
}

async function loadLibrary(): Promise<typeof import('stripe')> {
  try {
    return await import('stripe')
  } catch (cause) {
    const sentence =
      'card.adapter is stripe and the package stripe is not installed: npm install stripe, or choose another adapter'
    throw new Error(sentence, { cause })
  }
}

/** The library's errors contain the request's headers; only useful members are logged. */
function withoutSecrets({ type, code, statusCode, requestId, message }: StripeFailure): Error {
  const text = [type, code, statusCode, requestId, message].filter((part) => part !== undefined)
  return new Error(text.join(' '))
}

type StripeFailure = InstanceType<typeof StripeClient.errors.StripeError>

function toCard({ id, card, created }: StripeClient.PaymentMethod): readonly StoredCard[] {
  if (card === undefined) return []
  const { brand, last4, exp_month: expiryMonth, exp_year: expiryYear } = card
  return [{ id, created, brand, last4, expiryMonth, expiryYear }]
}

/** Stripe signed it, but it is still validated: its form depends on the API version it was created for. */
function toNotice(event: Readonly<Record<string, unknown>>): WebhookEvent {
  const { id, type } = event
  if (typeof id !== 'string' || typeof type !== 'string' || id.length > 255) {
    throw new Fault('bad_input', { detail: 'a notice has an id and a type' })
  }
  if (!noticeTypes.test(type)) return { id, type, customer: null }
  const object = member(event['data'], 'object')
  // For a removed card, the customer is among the previous values.
  const customer =
    member(object, 'object') === 'customer'
      ? member(object, 'id')
      : (member(object, 'customer') ??
        member(member(event['data'], 'previous_attributes'), 'customer'))
  return { id, type, customer: idOf(customer) }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined
}

function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const id = member(value, 'id')
  return typeof id === 'string' ? id : null
}
