// The payment provider that stores the cards, reduced to the operations that Cairn needs. It never returns a card
// number. Cairn trusts only replies to its own requests; a notice merely triggers such a request.
// Tested by src/access/cards/cards.test.ts

/** Displayed part of a card. `expiryMonth`: 1 to 12. */
export type CardSummary = {
  readonly brand: string
  /** The last four digits. */
  readonly last4: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** A card of a customer. `created`: seconds since 1970, set by the provider. */
export type StoredCard = CardSummary & { readonly id: string; readonly created: number }

/** The provider's state of a customer: all cards, and the default card (it may be none of them). */
export type StoredCards = {
  readonly cards: readonly StoredCard[]
  readonly defaultId: string | null
}

/** A form that a person fills in at the provider. `clientSecret` opens only this form. */
export type CardForm = { readonly id: string; readonly clientSecret: string }

/** A notice of the provider. `customer`: whose cards to read again; null: none. */
export type WebhookEvent = {
  readonly id: string
  readonly type: string
  readonly customer: string | null
}

/**
 * All questions are answered within seconds or throw Fault `no_upstream`. `onceKey`: the same key means the same
 * thing is made once, however often it is asked.
 */
export interface PaymentProvider {
  /** Public key for browsers; it grants no access by itself. */
  readonly publishableKey: string
  createCustomer(
    of: { readonly accountId: string; readonly name: string },
    onceKey: string,
  ): Promise<string>
  /** Null when the customer is not there. */
  createForm(customer: string, onceKey: string): Promise<CardForm | null>
  /** Null if the customer was deleted. Throws `no_upstream` for a customer unknown to this provider. */
  readCards(customer: string): Promise<StoredCards | null>
  /** Bills go to this card from now on. */
  useCard(customer: string, cardId: string): Promise<void>
  /** Takes a card away; one that is gone already is no mistake. */
  dropCard(cardId: string): Promise<void>
  /**
   * A notice as it came over the wire: the raw body and the header with its signature. Throws `bad_input` when
   * it is not signed with our secret, or was signed longer than `webhookAgeSeconds` before `now` (milliseconds).
   */
  readNotice(body: Uint8Array, signature: string, now: number): WebhookEvent
}

/** Older notices are refused, so that a recorded one is of no use. */
export const webhookAgeSeconds = 300
