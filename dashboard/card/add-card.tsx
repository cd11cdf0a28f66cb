// Form for a billing card: Cairn creates a setup intent, Stripe's element collects the card, and Cairn then queries
// Stripe for the result.
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { Form, useSending } from '../ui/form.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { Loading, Note } from '../ui/note.tsx'
import { loadStripe } from './stripe.ts'

const back = (account: string): string => `/dashboard/card?account=${encodeURIComponent(account)}`

/** Submits the form. Resolves with null on success, else with Stripe's message. */
type Confirm = () => Promise<string | null>

export function AddCard({ account }: { readonly account: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [confirm, setConfirm] = useState<{ readonly run: Confirm } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const sending = useSending()

  useEffect(() => {
    // Return from the bank's page: the card is already submitted.
    if (new URLSearchParams(location.search).has('setup_intent')) {
      void leave(account)
      return
    }
    openForm(account, place).then(
      (run) => setConfirm({ run }),
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    )
  }, [account])

  const send = async (): Promise<void> => {
    setProblem(null)
    const message = (await confirm?.run()) ?? null
    if (message !== null) setProblem(message)
    else await leave(account)
  }
  const cancel = (
    <a class="button" href={back(account)}>
      Cancel
    </a>
  )
  return (
    <CenteredPage
      title="Add a card"
      about="Your browser sends number and code to Stripe only. Cairn stores brand, last four digits and expiry."
    >
      {confirm === null && problem === null && <Loading />}
      {problem !== null && <Note tone="bad">{problem}</Note>}
      <div ref={place} />
      {confirm === null ? (
        <div class="row">{cancel}</div>
      ) : (
        <Form sending={sending} action="Save card" onSend={send} secondary={cancel}>
          {null}
        </Form>
      )}
    </CenteredPage>
  )
}

async function openForm(
  account: string,
  place: { readonly current: HTMLElement | null },
): Promise<Confirm> {
  const attempt = crypto.randomUUID()
  const { clientSecret, publishableKey } = await call('POST /accounts/{account}/card/forms', {
    account,
    attempt,
  })
  const stripe = await loadStripe(publishableKey)
  const dark = getComputedStyle(document.documentElement).colorScheme === 'dark'
  const elements = stripe.elements({
    clientSecret,
    appearance: { theme: dark ? 'night' : 'stripe' },
  })
  const element = elements.create('payment', { wallets: { applePay: 'never', googlePay: 'never' } })
  if (place.current !== null) element.mount(place.current)
  return async () => {
    const { error } = await stripe.confirmSetup({
      elements,
      redirect: 'if_required',
      confirmParams: { return_url: location.href },
    })
    return error === undefined ? null : (error.message ?? 'Stripe refused the card.')
  }
}

/** Lets Cairn query Stripe first, so that the billing page shows the new card. */
async function leave(account: string): Promise<void> {
  await call('POST /accounts/{account}/card/refresh', { account })
  location.assign(back(account))
}
