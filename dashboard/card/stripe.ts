// The parts of Stripe.js that the page uses. It must be loaded from Stripe. Card number and code are entered in Stripe's frames, so
// this page never has access to them.

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
    // oxlint-disable-next-line typescript/consistent-type-definitions -- the name is Stripe's
    Stripe?: (publishableKey: string) => Stripe
  }
}

const source = 'https://js.stripe.com/clover/stripe.js?advancedFraudSignals=false'

/** Rejects if the script cannot be loaded. */
export async function loadStripe(publishableKey: string): Promise<Stripe> {
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = source
    script.onload = () => resolve()
    script.onerror = () => reject(new Error("Can't reach Stripe from this browser."))
    document.head.append(script)
  })
  if (window.Stripe === undefined) throw new Error('Stripe failed to start in this browser.')
  return window.Stripe(publishableKey)
}
