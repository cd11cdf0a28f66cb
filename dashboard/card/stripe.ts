// Stripe's own script, as far as this page uses it. It must come from Stripe: number and code of a card go into frames of
// theirs and are never seen here.

type CardElement = { mount(place: HTMLElement): void }

type Elements = {
  create(
    kind: 'payment',
    options?: { readonly wallets?: Readonly<Record<string, string>> },
  ): CardElement
}

export type Stripe = {
  elements(options: {
    readonly clientSecret: string
    readonly appearance?: { readonly theme: 'stripe' | 'night' }
  }): Elements
  confirmSetup(options: {
    readonly elements: Elements
    readonly redirect: 'if_required'
    readonly confirmParams: { readonly return_url: string }
  }): Promise<{ readonly error?: { readonly message?: string } }>
}

declare global {
  interface Window {
    // oxlint-disable-next-line typescript/consistent-type-definitions -- the name is theirs
    Stripe?: (publishableKey: string) => Stripe
  }
}

const source = 'https://js.stripe.com/clover/stripe.js?advancedFraudSignals=false'

/** Rejects when the script does not come. */
export async function loadStripe(publishableKey: string): Promise<Stripe> {
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = source
    script.onload = () => resolve()
    script.onerror = () => reject(new Error('Stripe could not be reached from this browser.'))
    document.head.append(script)
  })
  if (window.Stripe === undefined) throw new Error('Stripe did not start in this browser.')
  return window.Stripe(publishableKey)
}
