// The form of Stripe's, in our frame: begun at Cairn, filled in at Stripe, and looked up at Cairn when it was sent.
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { Form, useSending } from '../ui/form.tsx'
import { Lone } from '../ui/lone.tsx'
import { Loading, Note } from '../ui/note.tsx'
import { loadStripe } from './stripe.ts'

const back = (account: string): string => `/dashboard/card?account=${encodeURIComponent(account)}`

/** Sends what was filled in; null: it went well, else what Stripe says. */
type Confirm = () => Promise<string | null>

export function AddCard({ account }: { readonly account: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [confirm, setConfirm] = useState<{ readonly run: Confirm } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const sending = useSending()

  useEffect(() => {
    // Back from a bank's page: there is nothing to fill in any more.
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
    const said = (await confirm?.run()) ?? null
    if (said !== null) setProblem(said)
    else await leave(account)
  }
  const cancel = (
    <a class="button" href={back(account)}>
      Cancel
    </a>
  )
  return (
    <Lone
      title="Add a card"
      about="Number and code go straight to Stripe. Cairn keeps brand, last four digits and month."
    >
      {confirm === null && problem === null && <Loading />}
      {problem !== null && <Note tone="bad">{problem}</Note>}
      <div ref={place} />
      {confirm === null ? (
        <div class="row">{cancel}</div>
      ) : (
        <Form sending={sending} action="Save the card" onSend={send} beside={cancel}>
          {null}
        </Form>
      )}
    </Lone>
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
    return error === undefined ? null : (error.message ?? 'Stripe did not take the card.')
  }
}

/** Cairn looks at Stripe before the page does, so that the card is there when it opens. */
async function leave(account: string): Promise<void> {
  await call('POST /accounts/{account}/card/refresh', { account })
  location.assign(back(account))
}
