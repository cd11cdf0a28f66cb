// The billing card of the account: whether there is one, which, and what to do about it.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { call } from '../app/api.ts'
import { formatTime } from '../app/format.ts'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Card, Facts, PageHead } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useSending } from '../ui/form.tsx'
import { Note, Problem, Show } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'

type CardStatus = AdminReply<'GET /accounts/{account}/card'>

export function CardPage() {
  const { id, name } = useAccount()
  const card = useLoaded(
    (signal) => call('GET /accounts/{account}/card', { account: id }, signal),
    [id],
  )
  return (
    <>
      <PageHead title="Card" about={`The billing card of ${name}, which the file face asks for.`} />
      <Show loaded={card}>{(status) => <Status status={status} again={card.again} />}</Show>
    </>
  )
}

const states: Readonly<Record<CardStatus['state'], readonly [tone: Tone, title: string]>> = {
  'not-needed': ['good', 'No card needed'],
  missing: ['bad', 'No card'],
  marked: ['good', 'Marked by the operator'],
  'on-file': ['good', 'On file'],
  expired: ['warn', 'Past its month'],
}

const adapters: Readonly<Record<CardStatus['adapter'], string>> = {
  none: 'nobody asks for one on this server',
  manual: 'the operator of this server',
  stripe: 'Stripe, and the operator of this server',
}

function Status({ status, again }: { readonly status: CardStatus; again(): void }) {
  const { adapter, state, opensFiles, card, asOf, next } = status
  const [tone, title] = states[state]
  return (
    <Card title="State" actions={<Badge tone={tone}>{title}</Badge>}>
      {next !== null && <Note tone={state === 'missing' ? 'warn' : 'plain'}>{next}</Note>}
      <Facts
        rows={[
          ...(card === null
            ? []
            : [
                ['Card', `${nameOf(card.brand)} ending in ${card.last4}`] as const,
                ['Good to', monthOf(card)] as const,
              ]),
          ['File face', opensFiles ? 'open' : 'answers 402 to every command'],
          ['Who says so', adapters[adapter]],
          ...(asOf === null ? [] : [['As of', formatTime(asOf)] as const]),
        ]}
      />
      <Deeds status={status} again={again} />
    </Card>
  )
}

function Deeds({ status, again }: { readonly status: CardStatus; again(): void }) {
  const { id } = useAccount()
  const session = useSession()
  const isOwner = useMay('owner')
  const isOperator = useMay('operator')
  const toast = useToast()
  const sending = useSending()
  const [removing, setRemoving] = useState(false)
  const { adapter, card, state } = status
  const takesCards = adapter === 'stripe' && isOwner
  const done = (text: string): void => {
    toast(text)
    session.reload()
    again()
  }
  const look = async (): Promise<void> => {
    await call('POST /accounts/{account}/card/refresh', { account: id })
    done('Stripe was asked')
  }
  const remove = async (): Promise<void> => {
    await call('DELETE /accounts/{account}/card', { account: id })
    done('The card was taken away')
  }
  const mark = async (hasCard: boolean): Promise<void> => {
    await call('PUT /accounts/{account}/card/mark', { account: id, hasCard })
    done(hasCard ? 'The account is marked' : 'The mark was taken away')
  }
  return (
    <>
      {sending.error !== null && <Problem error={sending.error} />}
      <div class="row">
        {takesCards && (
          // Another document: only there Stripe may run.
          <a
            class={`button${card === null ? ' primary' : ''}`}
            href={`/dashboard/card/new?account=${encodeURIComponent(id)}`}
          >
            {card === null ? 'Add a card' : 'Replace the card'}
          </a>
        )}
        {takesCards && card !== null && (
          <button class="button danger" type="button" onClick={() => setRemoving(true)}>
            Take the card away
          </button>
        )}
        {takesCards && (
          <button
            class="button quiet"
            type="button"
            disabled={sending.busy}
            onClick={() => void sending.run(look)}
          >
            Ask Stripe now
          </button>
        )}
        {isOperator && adapter !== 'none' && state !== 'on-file' && state !== 'expired' && (
          <button
            class="button"
            type="button"
            disabled={sending.busy}
            onClick={() => void sending.run(() => mark(state === 'missing'))}
          >
            {state === 'missing' ? 'Mark as having a card' : 'Take the mark away'}
          </button>
        )}
      </div>
      {removing && (
        <ConfirmDialog
          title="Remove the card?"
          action="Remove the card"
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          Stripe deletes it, and the IPFS API answers 402 to the keys of this account. Pins stay.
        </ConfirmDialog>
      )}
    </>
  )
}

function monthOf({ expiryMonth, expiryYear }: { expiryMonth: number; expiryYear: number }): string {
  return `${expiryYear}-${String(expiryMonth).padStart(2, '0')}`
}

/** `visa`, `amex`, `diners_club`, as Stripe spells them. */
function nameOf(brand: string): string {
  const words = brand.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
