// Who can read a pin, and, if the IPFS network is on, its announcements.
// Tested by test/browser/network.test.ts
import { call } from '../app/api.ts'
import { formatAgo, formatTime } from '../app/format.ts'
import { useMay } from '../app/use-may.ts'
import { Card, Facts } from '../ui/card.tsx'
import { useSending } from '../ui/form.tsx'
import { Problem } from '../ui/note.tsx'
import { useToast } from '../ui/toast.tsx'
import { FoundBy } from './found-by.tsx'
import type { Pin } from './pin-calls.ts'
import { type Provide, Readers } from './pins.tsx'

type PinProps = { readonly account: string; readonly pin: Pin }

/** `provide`: setting of the account. `again` reloads the pin. */
export function PinReaders({
  account,
  pin,
  provide,
  again,
}: PinProps & { readonly provide: Provide; again(): void }) {
  const { announcedAt, announcesAt } = pin
  const now = Date.now()
  const isDue = announcesAt !== null && announcesAt <= now
  if (announcedAt === null && announcesAt === null) {
    return (
      <Card title="Readers" actions={<Readers pin={pin} provide={provide} />}>
        <p class="soft">
          {provide === 'none' || pin.provide === 'none'
            ? 'Reads need a key of this account.'
            : 'Anyone can read it through the gateway.'}
        </p>
      </Card>
    )
  }
  return (
    <Card title="Readers" actions={<Readers pin={pin} provide={provide} />}>
      <Facts
        rows={[
          [
            'Announced',
            announcedAt === null ? (
              'not yet'
            ) : (
              <span key="announced" title={formatTime(announcedAt)}>
                {formatAgo(announcedAt, now)}
              </span>
            ),
          ],
          ...(announcesAt === null
            ? []
            : [['Next', isDue ? 'as soon as possible' : formatTime(announcesAt)] as const]),
          ['Found by', <FoundBy key="found" account={account} cid={pin.cid} />],
        ]}
      />
      {announcesAt !== null && !isDue && (
        <AnnounceAgain account={account} pin={pin} again={again} />
      )}
    </Card>
  )
}

function AnnounceAgain({ account, pin, again }: PinProps & { again(): void }) {
  const sending = useSending()
  const toast = useToast()
  if (!useMay('owner')) return null
  const announce = async (): Promise<void> => {
    const path = { account, cid: pin.cid }
    await call('POST /accounts/{account}/files/{cid}/announcement', path)
    toast('Announcing again')
    again()
  }
  return (
    <>
      {sending.error !== null && <Problem error={sending.error} />}
      <div class="row">
        <button
          class="button small"
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(announce)}
        >
          Announce again
        </button>
      </div>
    </>
  )
}
