// The part of Stripe's API that Cairn uses, on loopback: customers, forms, cards and signed events, stored in memory. It stores
// requests by their idempotency key as the real one does, and computes the HMAC-SHA256 signature independently.
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Customer = {
  readonly id: string
  readonly name: string
  readonly account: string
  deleted: boolean
  defaultCard: string | null
}

type Card = {
  readonly id: string
  readonly created: number
  readonly last4: string
  customer: string | null
  expiryMonth: number
  expiryYear: number
}

type Form = { readonly id: string; readonly customer: string; readonly usage: string | null }

/** A delivered event: the raw body and its signature. */
export type SignedNotice = { readonly body: Buffer; readonly signature: string }

export type FakeStripe = {
  readonly url: string
  readonly secretKey: string
  readonly publishableKey: string
  readonly webhookSecret: string
  readonly customers: ReadonlyMap<string, Customer>
  readonly forms: ReadonlyMap<string, Form>
  /** Received requests, such as `GET /v1/customers/cus_1`. */
  readonly requests: readonly string[]
  /** True: replies to every request with 500. */
  broken: boolean
  /** Events since the last call, oldest first. */
  takeEvents(): readonly Readonly<Record<string, unknown>>[]
  /** Fills in the form, as in a browser. Returns the card's ID. */
  fillIn(
    formId: string,
    card?: { last4?: string; expiryMonth?: number; expiryYear?: number },
  ): string
  detach(cardId: string): void
  renew(cardId: string, expiryYear: number): void
  deleteCustomer(id: string): void
  /** Makes the customer unknown, as it is to keys of another company. */
  forgetCustomer(id: string): void
  /** IDs of the cards of a customer, newest first. */
  cardsOf(customer: string): readonly string[]
  sign(event: unknown, atMs: number, secret?: string): SignedNotice
}

const secretKey = 'sk_test_of_the_fake'
const bodyBytesMax = 65_536

/** `now`: milliseconds; each created object is a second younger than the last. Stopped when the test ends. */
export async function startFakeStripe(
  t: Pick<TestContext, 'after'>,
  now: () => number = () => Date.UTC(2026, 0, 1),
): Promise<FakeStripe> {
  const customers = new Map<string, Customer>()
  const cards = new Map<string, Card>()
  const forms = new Map<string, Form>()
  const answered = new Map<string, unknown>()
  const requests: string[] = []
  const webhookSecret = `whsec_${randomUUID()}`
  let events: Readonly<Record<string, unknown>>[] = []
  let created = 0

  const nextId = (prefix: string): string => `${prefix}_${String(++created).padStart(6, '0')}`
  const nextSecond = (): number => Math.floor(now() / 1000) + created

  function addEvent(
    type: string,
    object: unknown,
    previous?: Readonly<Record<string, unknown>>,
  ): void {
    const data = previous === undefined ? { object } : { object, previous_attributes: previous }
    events.push({
      id: nextId('evt'),
      object: 'event',
      type,
      created: nextSecond(),
      livemode: false,
      data,
    })
  }

  const showCustomer = ({ id, name, account, deleted, defaultCard }: Customer) =>
    deleted
      ? { id, object: 'customer', deleted: true }
      : {
          id,
          object: 'customer',
          name,
          metadata: { cairn_account: account },
          invoice_settings: { default_payment_method: defaultCard },
        }

  const showCard = ({ id, created, last4, customer, expiryMonth, expiryYear }: Card) => ({
    id,
    object: 'payment_method',
    type: 'card',
    created,
    customer,
    card: { brand: 'visa', last4, exp_month: expiryMonth, exp_year: expiryYear },
  })

  const cardsOf = (customer: string): readonly Card[] =>
    [...cards.values()].filter((card) => card.customer === customer).toReversed()

  function detach(card: Card): void {
    const { customer } = card
    card.customer = null
    const owner = customers.get(customer ?? '')
    if (owner?.defaultCard === card.id) owner.defaultCard = null
    addEvent('payment_method.detached', showCard(card), { customer })
  }

  const find = <Thing>(things: ReadonlyMap<string, Thing>, id: string): Thing => {
    const thing = things.get(id)
    if (thing === undefined) throw new Missing(id)
    return thing
  }

  function findLiving(id: string): Customer {
    const customer = find(customers, id)
    if (customer.deleted) throw new Missing(id)
    return customer
  }

  function answer(method: string, path: string, fields: URLSearchParams): unknown {
    const [, kind = '', id = '', verb = ''] = path.split('/').slice(1)
    if (method === 'POST' && path === '/v1/customers') {
      const customer: Customer = {
        id: nextId('cus'),
        name: fields.get('name') ?? '',
        account: fields.get('metadata[cairn_account]') ?? '',
        deleted: false,
        defaultCard: null,
      }
      customers.set(customer.id, customer)
      addEvent('customer.created', showCustomer(customer))
      return showCustomer(customer)
    }
    if (method === 'POST' && path === '/v1/setup_intents') {
      const customer = findLiving(fields.get('customer') ?? '')
      const form = { id: nextId('seti'), customer: customer.id, usage: fields.get('usage') }
      forms.set(form.id, form)
      const client_secret = `${form.id}_secret_${randomUUID()}`
      return { ...form, object: 'setup_intent', client_secret, status: 'requires_payment_method' }
    }
    if (kind === 'customers' && verb === 'payment_methods' && method === 'GET') {
      const data = cardsOf(findLiving(id).id).map(showCard)
      return { object: 'list', data, has_more: false, url: path }
    }
    if (kind === 'customers' && verb === '' && method === 'GET')
      return showCustomer(find(customers, id))
    if (kind === 'customers' && verb === '' && method === 'POST') {
      const customer = findLiving(id)
      const card = find(cards, fields.get('invoice_settings[default_payment_method]') ?? '')
      if (card.customer !== id) throw new Missing(card.id)
      customer.defaultCard = card.id
      addEvent('customer.updated', showCustomer(customer))
      return showCustomer(customer)
    }
    if (kind === 'payment_methods' && verb === 'detach' && method === 'POST') {
      const card = find(cards, id)
      if (card.customer === null) throw new Missing(id)
      detach(card)
      return showCard(card)
    }
    throw new Missing(path)
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const { pathname } = new URL(url, 'http://fake')
    requests.push(`${method} ${pathname}`)
    const fields = new URLSearchParams(await readText(request))
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (fake.broken) return send(500, { error: { type: 'api_error', message: 'broken' } })
    if (request.headers.authorization !== `Bearer ${secretKey}`) {
      return send(401, { error: { type: 'invalid_request_error', message: 'invalid api key' } })
    }
    const idempotencyKey = request.headers['idempotency-key']
    try {
      const replayed = typeof idempotencyKey === 'string' ? answered.get(idempotencyKey) : undefined
      const body = replayed ?? answer(method, pathname, fields)
      if (typeof idempotencyKey === 'string') answered.set(idempotencyKey, body)
      send(200, body)
    } catch (thrown) {
      if (!(thrown instanceof Missing)) throw thrown
      const message = `no such thing: ${thrown.message}`
      send(404, { error: { type: 'invalid_request_error', code: 'resource_missing', message } })
    }
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })

  const fake: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secretKey,
    publishableKey: 'pk_test_of_the_fake',
    webhookSecret,
    customers,
    forms,
    requests,
    broken: false,
    takeEvents() {
      const pending = events
      events = []
      return pending
    },
    fillIn(formId, { last4 = '4242', expiryMonth = 12, expiryYear = 2030 } = {}) {
      const form = find(forms, formId)
      const id = nextId('pm')
      const card = {
        id,
        created: nextSecond(),
        last4,
        customer: form.customer,
        expiryMonth,
        expiryYear,
      }
      cards.set(id, card)
      addEvent('payment_method.attached', showCard(card))
      const { customer, usage } = form
      addEvent('setup_intent.succeeded', {
        id: formId,
        object: 'setup_intent',
        customer,
        usage,
        payment_method: id,
        status: 'succeeded',
      })
      return id
    },
    detach: (cardId) => detach(find(cards, cardId)),
    renew(cardId, expiryYear) {
      const card = find(cards, cardId)
      card.expiryYear = expiryYear
      addEvent('payment_method.automatically_updated', showCard(card))
    },
    deleteCustomer(id) {
      const customer = findLiving(id)
      for (const card of cardsOf(id)) detach(card)
      customer.deleted = true
      addEvent('customer.deleted', { id, object: 'customer' })
    },
    forgetCustomer: (id) => void customers.delete(id),
    cardsOf: (customer) => cardsOf(customer).map(({ id }) => id),
    sign(event, atMs, secret = webhookSecret) {
      const body = Buffer.from(JSON.stringify(event))
      const stamp = Math.floor(atMs / 1000)
      const mac = createHmac('sha256', secret).update(`${stamp}.`).update(body).digest('hex')
      return { body, signature: `t=${stamp},v1=${mac}` }
    },
  }
  return fake
}

class Missing extends Error {}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bodyBytesMax) throw new Error('a request longer than the fake takes')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
