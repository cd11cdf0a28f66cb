import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  type FakeStripe,
  type SignedNotice,
  startFakeStripe,
} from '../../../test/fakes/people/fake-stripe.ts'
import { seeded } from '../../../test/fakes/seeded.ts'
import { mirrored } from '../../../test/fakes/mirrored-rows.ts'
import { createManualClock, type ManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault, type FaultCode } from '../../base/fault.ts'
import { createInlineWriter } from '../../db/inline-writer.ts'
import { migrate } from '../../db/migrate.ts'
import { createSqliteRows } from '../../db/sqlite-rows.ts'
import { type Database, openDatabase } from '../../db/sqlite.ts'
import { type Account, type Accounts, createAccounts } from '../accounts/accounts.ts'
import { type CardAdapter, type Cards, createCards } from './cards.ts'
import { openStripe } from './stripe-provider.ts'

type Rig = {
  readonly stripe: FakeStripe
  readonly cards: Cards
  readonly accounts: Accounts
  readonly account: Account
  readonly db: Database
  readonly clock: ManualClock
  /** Adds a card as in a browser, without a webhook event to Cairn. Returns its ID. */
  add(attempt: string, last4?: string): Promise<string>
  deliver(notice: SignedNotice): ReturnType<Cards['handleWebhook']>
  /** Delivers the queued events of the fake, in order. */
  deliverAll(): Promise<void>
}

async function rig(
  t: TestContext,
  options: { adapter?: CardAdapter; formsPerDayMax?: number } = {},
): Promise<Rig> {
  const clock = createManualClock()
  const stripe = await startFakeStripe(t, clock.now)
  const db = openDatabase(':memory:')
  migrate(db)
  const parts = { rows: mirrored(createSqliteRows(db, createInlineWriter(db))), clock }
  const accounts = createAccounts(parts)
  const paymentProvider = await openStripe({ ...stripe, apiUrl: stripe.url })
  const cards = createCards({
    ...parts,
    adapter: () => options.adapter ?? 'stripe',
    paymentProvider: async () => paymentProvider,
    formsPerDayMax: () => options.formsPerDayMax ?? 1000,
    admitAddress: () => {},
    admitRead: () => {},
  })
  const account = await accounts.createAccount('acme')
  const deliver: Rig['deliver'] = ({ body, signature }) => cards.handleWebhook(body, signature)
  return {
    stripe,
    cards,
    accounts,
    account,
    db,
    clock,
    deliver,
    async add(attempt, last4 = '4242') {
      const { id } = await cards.begin(begun(account, attempt))
      return stripe.fillIn(id, { last4 })
    },
    async deliverAll() {
      for (const event of stripe.takeEvents()) await deliver(stripe.sign(event, clock.now()))
    },
  }
}

const begun = ({ id, name }: Account, attempt: string) => ({
  accountId: id,
  name,
  attempt,
  address: '192.0.2.1',
})

const faultOf = (code: FaultCode) => (error: unknown) =>
  error instanceof Fault && error.code === code

test('an added card enables the IPFS API when the notice arrives, and shows only four digits', async (t) => {
  const { stripe, cards, accounts, account, add, deliverAll, db } = await rig(t)
  assert.equal((await cards.status(account.id)).state, 'missing')
  assert.equal((await accounts.getAccount('acme')).hasCard, false)
  await add('attempt-1', '4444')
  assert.equal((await accounts.getAccount('acme')).hasCard, false)
  await deliverAll()
  assert.deepEqual(await cards.status(account.id), {
    adapter: 'stripe',
    state: 'on-file',
    opensFiles: true,
    card: { brand: 'visa', last4: '4444', expiryMonth: 12, expiryYear: 2030 },
    asOf: Date.UTC(2026, 0, 1),
  })
  assert.equal((await accounts.getAccount('acme')).hasCard, true)
  const [customer] = stripe.customers.values()
  assert.equal(customer?.account, account.id)
  assert.equal(customer?.defaultCard, stripe.cardsOf(customer?.id ?? '')[0])
  assert.equal([...stripe.forms.values()][0]?.usage, 'off_session')
  assert.equal(JSON.stringify(db.all('SELECT * FROM card')).includes('secret'), false)
})

test('a server that no notice can reach learns of the card by asking', async (t) => {
  const { cards, account, add } = await rig(t)
  await add('attempt-1')
  assert.equal((await cards.refresh(account.id)).state, 'on-file')
})

test('a repeated attempt creates one form for one customer, also concurrently', async (t) => {
  const { stripe, cards, account } = await rig(t)
  const forms = await Promise.all([
    cards.begin(begun(account, 'attempt-1')),
    cards.begin(begun(account, 'attempt-1')),
    cards.begin(begun(account, 'attempt-2')),
  ])
  assert.equal(forms[0]?.id, forms[1]?.id)
  assert.notEqual(forms[0]?.id, forms[2]?.id)
  assert.equal(forms[0]?.publishableKey, stripe.publishableKey)
  assert.equal(stripe.customers.size, 1)
})

test('a new card takes the place of the old one; taken away at the company, the old one is back', async (t) => {
  const { stripe, cards, account, add, deliverAll } = await rig(t)
  await add('attempt-1', '1111')
  await deliverAll()
  const second = await add('attempt-2', '2222')
  await deliverAll()
  assert.equal((await cards.status(account.id)).card?.last4, '2222')
  stripe.detach(second)
  await deliverAll()
  assert.equal((await cards.status(account.id)).card?.last4, '1111')
})

test('removing a card removes it from the provider and disables the IPFS API', async (t) => {
  const { stripe, cards, accounts, account, add, deliverAll } = await rig(t)
  await add('attempt-1')
  await add('attempt-2')
  await deliverAll()
  assert.equal((await cards.remove(account.id)).state, 'missing')
  assert.equal((await accounts.getAccount('acme')).hasCard, false)
  const [customer = ''] = stripe.customers.keys()
  assert.deepEqual(stripe.cardsOf(customer), [])
  await deliverAll()
  assert.equal((await cards.status(account.id)).state, 'missing')
})

test('a customer that was deleted is never taken up again: the next card has a new one', async (t) => {
  const { stripe, cards, account, add, deliverAll } = await rig(t)
  await add('attempt-1')
  await deliverAll()
  const [first = ''] = stripe.customers.keys()
  stripe.deleteCustomer(first)
  await deliverAll()
  assert.equal((await cards.status(account.id)).state, 'missing')
  await add('attempt-2')
  await deliverAll()
  assert.equal((await cards.status(account.id)).state, 'on-file')
  assert.equal(stripe.customers.size, 2)
  // Deleted again, and the event is lost.
  const second = [...stripe.customers.keys()][1] ?? ''
  stripe.deleteCustomer(second)
  stripe.takeEvents()
  await add('attempt-3')
  assert.equal((await cards.refresh(account.id)).state, 'on-file')
  assert.equal(stripe.customers.size, 3)
})

test('credentials of another provider account cause an error and do not change the stored card', async (t) => {
  const { stripe, cards, account, add, deliverAll } = await rig(t)
  await add('attempt-1', '4444')
  await deliverAll()
  const [customer = ''] = stripe.customers.keys()
  stripe.forgetCustomer(customer)
  await assert.rejects(cards.refresh(account.id), faultOf('no_upstream'))
  await assert.rejects(cards.remove(account.id), faultOf('no_upstream'))
  assert.equal((await cards.status(account.id)).card?.last4, '4444')
})

test('an expired card is reported and disables no API, and a renewed one is on file again', async (t) => {
  const { stripe, cards, account, clock, deliverAll } = await rig(t)
  const { id } = await cards.begin(begun(account, 'attempt-1'))
  const card = stripe.fillIn(id, { expiryMonth: 1, expiryYear: 2026 })
  await deliverAll()
  clock.advance(30 * 86_400_000)
  assert.equal((await cards.status(account.id)).state, 'on-file')
  clock.advance(86_400_000)
  const { state, opensFiles } = await cards.status(account.id)
  assert.deepEqual([state, opensFiles], ['expired', true])
  stripe.renew(card, 2029)
  await deliverAll()
  assert.equal((await cards.status(account.id)).state, 'on-file')
})

test("the operator's mark and the provider's card do not undo each other", async (t) => {
  const { cards, accounts, account, add, deliverAll } = await rig(t)
  await accounts.setCard('acme', true)
  assert.equal((await cards.status(account.id)).state, 'marked')
  await add('attempt-1')
  await deliverAll()
  assert.equal((await cards.status(account.id)).state, 'on-file')
  assert.equal((await cards.remove(account.id)).state, 'marked')
  assert.equal((await accounts.getAccount('acme')).hasCard, true)
  await add('attempt-2')
  await cards.refresh(account.id)
  await accounts.setCard('acme', false)
  assert.equal((await accounts.getAccount('acme')).hasCard, true)
  await cards.remove(account.id)
  assert.equal((await accounts.getAccount('acme')).hasCard, false)
})

test('an account starts as many forms per day as the setting allows, and again the next day', async (t) => {
  const { cards, account, clock } = await rig(t, { formsPerDayMax: 3 })
  for (const attempt of ['1', '2', '3', '3']) await cards.begin(begun(account, attempt))
  await assert.rejects(cards.begin(begun(account, '4')), faultOf('over_rate'))
  clock.advance(86_400_000)
  await cards.begin(begun(account, '4'))
})

test('adapters without cards refuse forms and give their name', async (t) => {
  const { cards, account } = await rig(t, { adapter: 'manual' })
  await assert.rejects(cards.begin(begun(account, '1')), /card\.adapter is manual/)
  await assert.rejects(cards.handleWebhook(new Uint8Array(), ''), faultOf('refused_by_setting'))
  assert.equal((await cards.status(account.id)).state, 'missing')
  const none = await rig(t, { adapter: 'none' })
  const { state, opensFiles } = await none.cards.status(none.account.id)
  assert.deepEqual([state, opensFiles], ['not-needed', true])
})

test('a failure of the payment provider changes no state, and the repeated event is processed', async (t) => {
  const { stripe, cards, account, clock, add, deliver } = await rig(t)
  await add('attempt-1')
  const notices = stripe.takeEvents().map((event) => stripe.sign(event, clock.now()))
  const last = notices.at(-1) as SignedNotice
  stripe.broken = true
  await assert.rejects(deliver(last), faultOf('no_upstream'))
  await assert.rejects(cards.begin(begun(account, '2')), faultOf('no_upstream'))
  assert.equal((await cards.status(account.id)).state, 'missing')
  stripe.broken = false
  assert.equal(await deliver(last), 'done')
  assert.equal(await deliver(last), 'heard-before')
  assert.equal((await cards.status(account.id)).state, 'on-file')
})

test('a notice is remembered longer than it may be sent again', async (t) => {
  const { stripe, clock, add, deliver, db } = await rig(t)
  await add('attempt-1')
  for (const event of stripe.takeEvents()) await deliver(stripe.sign(event, clock.now()))
  const count = () => db.get<{ n: number }>('SELECT count(*) AS n FROM card_notice')?.n
  const before = count()
  clock.advance(34 * 86_400_000)
  await add('attempt-2')
  const [event] = stripe.takeEvents()
  await deliver(stripe.sign(event, clock.now()))
  assert.equal(count(), (before ?? 0) + 1)
  clock.advance(2 * 86_400_000)
  await add('attempt-3')
  const [later] = stripe.takeEvents()
  await deliver(stripe.sign(later, clock.now()))
  assert.equal(count(), 2)
})

test('two hundred forged, stale, replayed, reordered and duplicate webhook events leave no wrong state', async (t) => {
  const seed = Number(process.env['CAIRN_SEED'] ?? 20_260_101)
  t.diagnostic(`CAIRN_SEED=${seed}`)
  const { stripe, cards, accounts, account, clock, add, deliver } = await rig(t)
  const random = seeded(seed)
  const delivered: SignedNotice[] = []
  const delayed: SignedNotice[] = []
  const counts = { true: 0, forged: 0, stale: 0, replayed: 0, doubled: 0 }
  const sent = () => Object.values(counts).reduce((sum, count) => sum + count, 0)

  async function isRight(): Promise<void> {
    const customer = [...stripe.customers.values()].find(({ deleted }) => !deleted)?.id
    const there = customer === undefined ? [] : stripe.cardsOf(customer)
    assert.equal(
      (await accounts.getAccount('acme')).hasCard,
      there.length > 0,
      `after ${sent()} notices`,
    )
    assert.equal((await cards.status(account.id)).card !== null, there.length > 0)
  }

  async function refused(notice: SignedNotice): Promise<void> {
    const before = JSON.stringify(await cards.status(account.id))
    const requestCount = stripe.requests.length
    await assert.rejects(deliver(notice), faultOf('bad_input'))
    assert.equal(JSON.stringify(await cards.status(account.id)), before)
    assert.equal(stripe.requests.length, requestCount)
  }

  for (let step = 0; sent() < 200; step++) {
    // An event at the provider: its notices are held back and delivered in any order.
    const customer = [...stripe.customers.values()].find(({ deleted }) => !deleted)?.id ?? null
    const [card] = customer === null ? [] : stripe.cardsOf(customer)
    const deed = random(6)
    if (deed === 0 && customer !== null) stripe.deleteCustomer(customer)
    else if (deed <= 2 && card !== undefined) stripe.detach(card)
    else await add(`attempt-${step}`, String(1000 + step))
    const fresh = stripe.takeEvents().map((event) => stripe.sign(event, clock.now()))
    delayed.push(...fresh)

    const victim = fresh[0] ?? delayed[0]
    if (victim !== undefined) {
      const event: unknown = JSON.parse(victim.body.toString())
      await refused(stripe.sign(event, clock.now(), 'whsec_of_another_endpoint'))
      const text = victim.body.toString().replace('"evt_', '"evt_x')
      await refused({ body: Buffer.from(text), signature: victim.signature })
      counts.forged += 2
      await refused(stripe.sign(event, clock.now() - 301_000))
      counts.stale++
    }
    // Delivers all held events in any order, some of them twice in parallel.
    while (delayed.length > 0) {
      const [notice] = delayed.splice(random(delayed.length), 1) as [SignedNotice]
      const twice = random(4) === 0
      await Promise.all(twice ? [deliver(notice), deliver(notice)] : [deliver(notice)])
      if (twice) counts.doubled++
      counts.true++
      delivered.push(notice)
    }
    await isRight()
    const old = delivered[random(delivered.length)]
    if (old !== undefined) {
      await deliver(old)
      counts.replayed++
      await isRight()
    }
    clock.advance(1000)
  }
  t.diagnostic(JSON.stringify(counts))
})
