// Cards as the settings have them now: the billing company is reached when a card needs it, and anew when its settings
// change.
// Tested by test/card-started.test.ts
import type { Biller } from './accounts/cards/biller.ts'
import { type Cards, type CardsParts, createCards } from './accounts/cards/cards.ts'
import { openStripe } from './accounts/cards/stripe-biller.ts'
import type { Config } from './config/settings.ts'
import { createCardForms } from './limits/card-forms.ts'

/** Addresses are shared by more than one account now and then. */
const addressShare = 3

export type OpenCards = {
  readonly cards: Cards
  /** Rejects with a sentence for the operator when the adapter of now cannot be used at all. */
  check(): Promise<void>
}

export function openCards(
  parts: Pick<CardsParts, 'db' | 'writer' | 'queries' | 'clock'> & {
    /** As of now. */
    readonly settings: { readonly now: Pick<Config, 'card'> }
  },
): OpenCards {
  const { settings, clock } = parts
  let opened: { readonly by: string; readonly biller: Promise<Biller> } | null = null

  function biller(): Promise<Biller> {
    const { secretKey, publishableKey, webhookSecret, apiUrl } = settings.now.card.stripe
    const by = JSON.stringify([secretKey, publishableKey, webhookSecret, apiUrl])
    if (opened?.by === by) return opened.biller
    if (secretKey === null || publishableKey === null || webhookSecret === null) {
      // The settings are refused as a whole without one of these.
      throw new Error('card.stripe lacks a key')
    }
    opened = { by, biller: openStripe({ secretKey, publishableKey, webhookSecret, apiUrl }) }
    return opened.biller
  }

  return {
    cards: createCards({
      ...parts,
      adapter: () => settings.now.card.adapter,
      biller,
      formsPerDayMax: () => settings.now.card.stripe.formsPerDayMax,
      admitAddress: createCardForms({
        clock,
        perDay: () => addressShare * settings.now.card.stripe.formsPerDayMax,
      }),
    }),
    async check() {
      if (settings.now.card.adapter === 'stripe') await biller()
    },
  }
}
