// Billing cards under the current settings. The payment provider is opened when a card needs it, and again when its
// settings change.
// Tested by test/card-started.test.ts
import { faults } from '../base/fault.ts'
import type { CardCheck } from '../pipeline/authenticate-request.ts'
import { dashboardUrl } from './open-identity.ts'
import type { PaymentProvider } from '../access/cards/payment-provider.ts'
import { type Cards, type CardsDeps, createCards } from '../access/cards/cards.ts'
import { openStripe } from '../access/cards/stripe-provider.ts'
import type { Config } from '../config/settings.ts'
import { networkOf } from '../base/addresses.ts'
import { createCardRateLimit } from '../access/limits/card-rate-limit.ts'

/** Some accounts share an address. */
const addressShare = 3
const daySeconds = 86_400
/** Requests to the payment provider per account and minute. */
const looksPerMinute = 20

export type OpenCards = {
  readonly cards: Cards
  /** Rejects with a sentence for the operator if the configured adapter cannot be used. */
  check(): Promise<void>
}

export function openCards(
  parts: Pick<CardsDeps, 'rows' | 'clock'> & {
    /** Current settings. */
    readonly settings: { readonly now: Pick<Config, 'card'> }
  },
): OpenCards {
  const { settings, clock } = parts
  const admitAddress = createCardRateLimit({
    clock,
    most: () => addressShare * settings.now.card.stripe.formsPerDayMax,
    seconds: daySeconds,
    details: (most) => `this address may begin to add a card ${most} times a day`,
  })
  let opened: { readonly by: string; readonly paymentProvider: Promise<PaymentProvider> } | null =
    null

  function paymentProvider(): Promise<PaymentProvider> {
    const { secretKey, publishableKey, webhookSecret, apiUrl } = settings.now.card.stripe
    const by = JSON.stringify([secretKey, publishableKey, webhookSecret, apiUrl])
    if (opened?.by === by) return opened.paymentProvider
    if (secretKey === null || publishableKey === null || webhookSecret === null) {
      // The settings are refused without these values.
      throw new Error('card.stripe lacks a key')
    }
    const fresh = openStripe({ secretKey, publishableKey, webhookSecret, apiUrl })
    opened = { by, paymentProvider: fresh }
    // The library may have been installed since.
    fresh.catch(() => {
      if (opened?.paymentProvider === fresh) opened = null
    })
    return fresh
  }

  return {
    cards: createCards({
      ...parts,
      adapter: () => settings.now.card.adapter,
      paymentProvider,
      formsPerDayMax: () => settings.now.card.stripe.formsPerDayMax,
      admitAddress: (address) => admitAddress(networkOf(address)),
      admitLook: createCardRateLimit({
        clock,
        most: () => looksPerMinute,
        seconds: 60,
        details: (most) => `an account may have its card looked up ${most} times a minute`,
      }),
    }),
    async check() {
      if (settings.now.card.adapter === 'stripe') await paymentProvider()
    },
  }
}

/** Refusal of an account without a card under these settings. */
export function cardGateOf(config: Config): CardCheck {
  const { adapter } = config.card
  if (adapter === 'none') return null
  if (adapter === 'manual') return { detail: noMark }
  return config.admin.enabled
    ? { detail: `${faults.no_card.message} at ${dashboardUrl(config)}/dashboard/card` }
    : {}
}

/** With `card.adapter: manual` an account owner cannot add a card. */
const noMark =
  'billing card required: this server takes no cards, so its operator has to mark the account: "cairn card set <account>", or the Card page of the dashboard'
