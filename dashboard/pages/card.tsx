// The billing card of the account: its state, and the actions on it.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { formatTime } from '../app/format.ts'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { State, type Tone } from '../ui/badge.tsx'
import { Card, Facts } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useSending } from '../ui/form.tsx'
import { Note, Problem, Show } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'

type CardStatus = AdminReply<'GET /accounts/{account}/card'>

export function BillingCard() {
  const { id } = useAccount()
  const card = useLoaded(
    (signal) => call('GET /accounts/{account}/card', { account: id }, signal),
    [id],
  )
  return <Show loaded={card}>{(status) => <Status status={status} again={card.again} />}</Show>
}

const states: Readonly<Record<CardStatus['state'], readonly [tone: Tone, title: string]>> = {
  'not-needed': ['good', 'No card needed'],
  missing: ['bad', 'No card'],
  marked: ['good', 'Approved by an operator'],
  'on-file': ['good', 'On file'],
  expired: ['warn', 'Expired'],
}

const adapters: Readonly<Record<CardStatus['adapter'], string>> = {
  none: 'no card required on this server',
  manual: 'operators of this server',
  stripe: 'Stripe, and operators of this server',
}

function Status({ status, again }: { readonly status: CardStatus; again(): void }) {
  const { adapter, state, opensFiles, card, asOf, next } = status
  const [tone, title] = states[state]
  return (
    <Card
      title="Billing"
      about="A card opens the IPFS API."
      actions={<State tone={tone}>{title}</State>}
    >
      {next !== null && <Note tone={state === 'missing' ? 'warn' : 'plain'}>{next}</Note>}
      <Facts
        rows={[
          ...(card === null
            ? []
            : [
                ['Card', `${nameOf(card.brand)} ending in ${card.last4}`] as const,
                ['Expires', monthOf(card)] as const,
              ]),
          ['IPFS API', opensFiles ? 'open' : 'returns 402 for every command'],
          ['Set by', adapters[adapter]],
          ...(asOf === null ? [] : [['As of', formatTime(asOf)] as const]),
        ]}
      />
      <CardActions status={status} again={again} />
    </Card>
  )
}

function CardActions({ status, again }: { readonly status: CardStatus; again(): void }) {
  const { id } = useAccount()
  const session = useSession()
  const isOwner = useMay('owner')
  const isOperator = useMay('operator')
  const toast = useToast()
  const sending = useSending()
  const [removing, setRemoving] = useState(false)
  const [withdrawing, setWithdrawing] = useState(false)
  const { adapter, card, state } = status
  const takesCards = adapter === 'stripe' && isOwner
  const done = (text: string): void => {
    toast(text)
    session.reload()
    again()
  }
  const look = async (): Promise<void> => {
    await call('POST /accounts/{account}/card/refresh', { account: id })
    done('Updated from Stripe')
  }
  const remove = async (): Promise<void> => {
    await call('DELETE /accounts/{account}/card', { account: id })
    done('Card removed')
  }
  const mark = async (hasCard: boolean): Promise<void> => {
    await call('PUT /accounts/{account}/card/mark', { account: id, hasCard })
    done(hasCard ? 'Account approved' : 'Approval withdrawn')
  }
  return (
    <>
      {sending.error !== null && <Problem error={sending.error} />}
      <div class="row">
        {takesCards && (
          // A separate document, because only its content policy allows Stripe.
          <a
            class={`button${card === null ? ' primary' : ''}`}
            href={`/dashboard/card/new?account=${encodeURIComponent(id)}`}
          >
            {card === null ? 'Add card' : 'Replace card'}
          </a>
        )}
        {takesCards && card !== null && (
          <button class="button danger" type="button" onClick={() => setRemoving(true)}>
            Remove card
          </button>
        )}
        {takesCards && (
          <button
            class="button quiet"
            type="button"
            disabled={sending.busy}
            onClick={() => void sending.run(look)}
          >
            Update from Stripe
          </button>
        )}
        {isOperator && adapter !== 'none' && state !== 'on-file' && state !== 'expired' && (
          <button
            class={`button${state === 'missing' ? '' : ' danger'}`}
            type="button"
            disabled={sending.busy}
            onClick={() => {
              if (state === 'missing') void sending.run(() => mark(true))
              else setWithdrawing(true)
            }}
          >
            {state === 'missing' ? 'Approve without a card' : 'Withdraw approval…'}
          </button>
        )}
      </div>
      {withdrawing && (
        <ConfirmDialog
          title={`Withdraw the approval of ${session.account?.name ?? 'this account'}?`}
          action="Withdraw approval"
          keep="Keep approval"
          onConfirm={() => mark(false)}
          onClose={() => setWithdrawing(false)}
        >
          The IPFS API then answers 402 to its keys. Its pins and stored files stay, and you can
          approve it again.
        </ConfirmDialog>
      )}
      {removing && (
        <ConfirmDialog
          title="Remove card?"
          action="Remove card"
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          Stripe deletes it, and the IPFS API returns 402 for the keys of this account. Pins stay.
        </ConfirmDialog>
      )}
    </>
  )
}

function monthOf({ expiryMonth, expiryYear }: { expiryMonth: number; expiryYear: number }): string {
  return `${expiryYear}-${String(expiryMonth).padStart(2, '0')}`
}

/** `brand` as Stripe names it: `visa`, `amex`, `diners_club`. */
function nameOf(brand: string): string {
  const words = brand.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
