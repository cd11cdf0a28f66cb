// Interface of the payment provider, which stores the cards, reduced to the operations that Cairn needs. It never returns a card
// number. Cairn trusts only replies to its own requests; a webhook event merely triggers such a request.
// Tested by src/access/cards/cards.test.ts

/** The displayed part of a card. `expiryMonth`: 1 to 12. */
export type CardSummary = {
  readonly brand: string
  /** The last four digits. */
  readonly last4: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** A card of a customer. `created`: seconds since 1970, set by the provider. */
export type StoredCard = CardSummary & { readonly id: string; readonly created: number }

/** The provider's state of a customer: all cards, and the default card (which may be none of them). */
export type StoredCards = {
  readonly cards: readonly StoredCard[]
  readonly defaultId: string | null
}

/** A form that a person fills in at the provider. `clientSecret` opens only this form. */
export type CardForm = { readonly id: string; readonly clientSecret: string }

/** A webhook event. `customer`: its cards must be read again; null: none. */
export type WebhookEvent = {
  readonly id: string
  readonly type: string
  readonly customer: string | null
}

/**
 * All methods complete within seconds or throw Fault `no_upstream`. `idempotencyKey`: repeated calls with the same key
 * create the object once.
 */
export interface PaymentProvider {
  /** Public key for browsers; it grants no access by itself. */
  readonly publishableKey: string
  createCustomer(
    of: { readonly accountId: string; readonly name: string },
    idempotencyKey: string,
  ): Promise<string>
  /** Null if the customer does not exist. */
  createForm(customer: string, idempotencyKey: string): Promise<CardForm | null>
  /** Null if the customer was deleted. Throws `no_upstream` for a customer unknown to this provider. */
  readCards(customer: string): Promise<StoredCards | null>
  /** Makes this card the default for invoices. */
  useCard(customer: string, cardId: string): Promise<void>
  /** Removes a card; no error if it does not exist. */
  dropCard(cardId: string): Promise<void>
  /**
   * Parses a webhook event from the raw body and the header with its signature. Throws `bad_input` if the signature is not made
   * with the configured secret, or is older than `webhookAgeSeconds` at `now` (milliseconds).
   */
  readNotice(body: Uint8Array, signature: string, now: number): WebhookEvent
}

/** Older events are refused, against replay of a recorded event. */
export const webhookAgeSeconds = 300
