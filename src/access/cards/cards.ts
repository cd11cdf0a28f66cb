// The billing card of an account: the card on file, adding and removing it, and the effect of the provider's webhook events. Work
// for one account runs serially and ends with a read from the provider, so that order and number of events do not matter. States
// and transitions: docs/guides/limits-and-alerts.md.
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { createKeyedQueue } from '../../base/keyed-queue.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type Statement } from '../../db/writer.ts'
import { findCardMark } from '../../tables/accounts.ts'
import {
  type CardRow,
  findAccountOfCustomer,
  findAttempt,
  findCard,
  findNotice,
  clearCustomer,
  insertAttempt,
  insertNotice,
  updateCard,
  upsertCustomer,
} from '../../tables/cards.ts'
import type {
  PaymentProvider,
  CardSummary,
  CardForm,
  StoredCard,
  StoredCards,
} from './payment-provider.ts'

export type CardAdapter = 'none' | 'manual' | 'stripe'

/**
 * `not-needed`: no card is required. `missing`: the IPFS API is disabled. `marked`: the operator set a mark.
 * `on-file`: the provider has a card. `expired`: the provider's card has expired, which disables no API.
 */
type CardState = 'not-needed' | 'missing' | 'marked' | 'on-file' | 'expired'

/** `asOf`: time of the last read from the provider, milliseconds since 1970; null: never. */
export type CardStatus = {
  readonly adapter: CardAdapter
  readonly state: CardState
  /** The IPFS API is enabled for the account. */
  readonly opensFiles: boolean
  readonly card: CardSummary | null
  readonly asOf: number | null
}

export type Cards = {
  readonly adapter: CardAdapter
  /** From memory and database rows, without a request to the provider. */
  status(accountId: string): Promise<CardStatus>
  /**
   * Opens a form to add a card. `attempt`: chosen by the client; the same value returns the same form. Throws `over_rate` beyond
   * the daily limit of the settings, `no_upstream` if the provider does not respond, `refused_by_setting` if the adapter accepts no
   * cards.
   */
  begin(of: {
    readonly accountId: string
    readonly name: string
    readonly attempt: string
    readonly address: string
  }): Promise<CardForm & { readonly publishableKey: string }>
  /** Reads from the provider. Throws `no_upstream`, `over_rate`. */
  refresh(accountId: string): Promise<CardStatus>
  /** Removes every card of the account. Throws as `refresh`. The operator's mark remains. */
  remove(accountId: string): Promise<CardStatus>
  /**
   * Handles a raw webhook event. Resolves when its effect is durable. Throws `bad_input` if it is forged or stale, `no_upstream` if
   * the provider must send it again later.
   */
  handleWebhook(body: Uint8Array, signature: string): Promise<'done' | 'heard-before' | 'not-ours'>
}

export type CardsDeps = {
  readonly rows: Rows
  readonly clock: Clock
  readonly adapter: () => CardAdapter
  /** Called only for the adapter `stripe`. */
  readonly paymentProvider: () => Promise<PaymentProvider>
  /** Maximum number of forms per account and day. */
  readonly formsPerDayMax: () => number
  /** Throws `over_rate` if this address has opened too many forms, for any accounts. */
  readonly admitAddress: (address: string) => void
  /** Throws `over_rate` if the provider was read too often for this account. */
  readonly admitRead: (accountId: string) => void
}

const dayMs = 86_400_000
/** Stripe repeats an event for three days, or by hand for thirty. */
const noticesRetainedMs = 35 * dayMs
/** Maximum queued work, over all accounts. */
const queuedMax = 1_000
/** Maximum rounds of a removal; each removes the cards of one listing. */
const removalsMax = 5

export function createCards(parts: CardsDeps): Cards {
  const { rows, clock } = parts
  const queue = createKeyedQueue(queuedMax)

  function open(): Promise<PaymentProvider> {
    const adapter = parts.adapter()
    if (adapter === 'stripe') return parts.paymentProvider()
    const detail = `cards are not taken here: card.adapter is ${adapter}`
    throw new Fault('refused_by_setting', { detail })
  }

  async function status(accountId: string): Promise<CardStatus> {
    const adapter = parts.adapter()
    const [[row = null], [mark]] = await rows.snapshot([
      findCard(accountId),
      findCardMark(accountId),
    ])
    const card = row === null ? null : toFace(row)
    const isMarked = mark?.card_marked === 1
    const state = stateOf({ adapter, card, isMarked, now: clock.now() })
    const asOf = row === null || row.as_of === 0 ? null : row.as_of
    return { adapter, state, opensFiles: state !== 'missing', card, asOf }
  }

  /** Reads the provider's state and writes it, with `also` in the same transaction. */
  async function syncCards(
    paymentProvider: PaymentProvider,
    accountId: string,
    also: readonly Statement[] = [],
  ): Promise<void> {
    const row = await rows.first(findCard(accountId))
    const customer = row?.customer ?? null
    if (row === null || customer === null) {
      if (also.length > 0) await rows.write(also)
      return
    }
    // Newer than the stored row even if the clock was set back.
    const asOf = Math.max(clock.now(), row.as_of)
    const stored = await paymentProvider.readCards(customer)
    if (stored === null) {
      await rows.write([...clearCustomer(accountId, asOf), ...also])
      return
    }
    const card = chooseCard(stored, row.newest)
    if (card !== null && card.id !== stored.defaultId)
      await paymentProvider.useCard(customer, card.id)
    const newest = Math.max(row.newest, ...stored.cards.map(({ created }) => created))
    const fresh = { ...toRow(card), newest, as_of: asOf }
    await rows.write([...updateCard(accountId, fresh), ...also])
  }

  /** The customer of the account; creates one if there is none. */
  async function obtainCustomer(
    paymentProvider: PaymentProvider,
    accountId: string,
    name: string,
  ): Promise<string> {
    const row = await rows.first(findCard(accountId))
    const existing = row?.customer ?? null
    if (existing !== null) return existing
    const idempotencyKey = `cairn-customer-${accountId}-${row?.generation ?? 0}`
    const customer = await paymentProvider.createCustomer({ accountId, name }, idempotencyKey)
    await rows.write(upsertCustomer(accountId, customer))
    return customer
  }

  async function admit(of: Parameters<Cards['begin']>[0]): Promise<void> {
    const { accountId, attempt, address } = of
    if ((await rows.first(findAttempt(accountId, attempt))) !== null) return
    parts.admitAddress(address)
    const now = clock.now()
    const most = parts.formsPerDayMax()
    try {
      await rows.write(insertAttempt({ accountId, attempt, now, after: now - dayMs, most }))
    } catch (cause) {
      if (!(cause instanceof NothingChanged)) throw cause
      const detail = `an account may begin to add a card ${most} times in 24 hours`
      throw new Fault('over_rate', { detail, cause })
    }
  }

  const isDuplicate = async (id: string): Promise<boolean> =>
    (await rows.first(findNotice(id))) !== null

  return {
    get adapter() {
      return parts.adapter()
    },
    status,

    begin: (of) =>
      queue.run(of.accountId, async () => {
        const paymentProvider = await open()
        await admit(of)
        const { accountId, name, attempt } = of
        // The second round is for a customer that was deleted without a webhook event.
        for (let round = 0; round < 2; round++) {
          const customer = await obtainCustomer(paymentProvider, accountId, name)
          const form = await paymentProvider.createForm(
            customer,
            `cairn-form-${customer}-${attempt}`,
          )
          if (form !== null) return { ...form, publishableKey: paymentProvider.publishableKey }
          await rows.write(clearCustomer(accountId, clock.now()))
        }
        const detail = 'the payment provider does not answer, try again in a minute'
        throw new Fault('no_upstream', { detail })
      }),

    refresh: (accountId) =>
      queue.run(accountId, async () => {
        const paymentProvider = await open()
        parts.admitRead(accountId)
        await syncCards(paymentProvider, accountId)
        return await status(accountId)
      }),

    remove: (accountId) =>
      queue.run(accountId, async () => {
        const paymentProvider = await open()
        parts.admitRead(accountId)
        const customer = (await rows.first(findCard(accountId)))?.customer ?? null
        for (let round = 0; customer !== null && round < removalsMax; round++) {
          const stored = await paymentProvider.readCards(customer)
          if (stored === null || stored.cards.length === 0) break
          for (const { id } of stored.cards) await paymentProvider.dropCard(id)
        }
        await syncCards(paymentProvider, accountId)
        return await status(accountId)
      }),

    async handleWebhook(body, signature) {
      const paymentProvider = await open()
      const { id, customer } = paymentProvider.readNotice(body, signature, clock.now())
      if (await isDuplicate(id)) return 'heard-before'
      const owner = customer === null ? null : await rows.first(findAccountOfCustomer(customer))
      if (owner === null) return 'not-ours'
      const accountId = owner.account_id
      return await queue.run(accountId, async () => {
        // A duplicate of this event may have been handled while this one was queued.
        if (await isDuplicate(id)) return 'heard-before'
        const now = clock.now()
        await syncCards(paymentProvider, accountId, insertNotice(id, now, now - noticesRetainedMs))
        return 'done'
      })
    },
  }
}

/**
 * A card newer than all known ones is the one that the owner has just added. Otherwise the default card remains, because the owner
 * may have chosen it at the provider; without a default, the newest.
 */
function chooseCard({ cards, defaultId }: StoredCards, newestSeen: number): StoredCard | null {
  const [newest] = cards.toSorted((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1))
  if (newest === undefined) return null
  if (newest.created > newestSeen) return newest
  return cards.find(({ id }) => id === defaultId) ?? newest
}

function stateOf(of: {
  readonly adapter: CardAdapter
  readonly card: CardSummary | null
  readonly isMarked: boolean
  readonly now: number
}): CardState {
  const { adapter, card, isMarked, now } = of
  if (adapter === 'none') return 'not-needed'
  if (card === null) return isMarked ? 'marked' : 'missing'
  // A card is valid until the end of its month.
  return now >= Date.UTC(card.expiryYear, card.expiryMonth) ? 'expired' : 'on-file'
}

function toFace(row: CardRow): CardSummary | null {
  const { brand, last4, expiry_month: expiryMonth, expiry_year: expiryYear } = row
  if (row.payment_method === null || brand === null || last4 === null) return null
  return { brand, last4, expiryMonth: expiryMonth ?? 12, expiryYear: expiryYear ?? 9999 }
}

function toRow(card: StoredCard | null) {
  return {
    payment_method: card?.id ?? null,
    brand: card?.brand ?? null,
    last4: card?.last4 ?? null,
    expiry_month: card?.expiryMonth ?? null,
    expiry_year: card?.expiryYear ?? null,
  }
}
