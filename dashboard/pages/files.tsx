// What the account keeps: upload, list, pin, unpin, open, and how much of the quota it takes.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { call } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { type Choices, KeyFields, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { formatBytes, formatCount, formatNumber, formatTime } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { UploadCard } from '../files/upload-card.tsx'
import '../style/files.css'
import { Badge } from '../ui/badge.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { Progress } from '../ui/progress.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

type Pin = AdminReply<'GET /accounts/{account}/files'>['pins'][number]
type Reading = AdminReply<'GET /status'>['gateway']

export function FilesPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead title="Files" about="What this account keeps, by CID." />
      <Show loaded={choices}>{(value) => <Files choices={value} />}</Show>
    </>
  )
}

function Files({ choices }: { readonly choices: Choices }) {
  const account = useAccount()
  const { isOperator } = useSession()
  const choice = useKeyChoice(choices)
  const { place } = choice
  const [from, setFrom] = useState<readonly string[]>([])
  const files = useLoaded(
    (signal) => {
      const start = from.at(-1)
      return call(
        'GET /accounts/{account}/files',
        { account: account.id, ...(start === undefined ? {} : { from: start }) },
        signal,
      )
    },
    [account.id, from],
  )
  const status = useLoaded((signal) => call('GET /status', {}, signal), [])
  const card = useLoaded(
    (signal) => call('GET /accounts/{account}/card', { account: account.id }, signal),
    [account.id],
  )
  return (
    <div class="stack">
      <Quota stored={files.value?.stored ?? null} />
      {place === null ? (
        <NoKey title="There is no key to upload with" />
      ) : (
        <>
          <Card>
            <KeyFields choices={choices} choice={choice} withNetwork={false} />
          </Card>
          {card.value?.opensFiles === false ? (
            <Closed next={card.value.next} />
          ) : (
            <>
              <UploadCard place={place} onDone={files.again} />
              <PinCard place={place} onDone={files.again} />
            </>
          )}
        </>
      )}
      <Card title="Pinned" flush>
        <Show loaded={files}>
          {({ pins, next }) => (
            <>
              <Pins
                pins={pins}
                place={place}
                reading={status.value?.gateway ?? null}
                onChanged={files.again}
              />
              <div class="row pages">
                {from.length > 0 && (
                  <button
                    class="button small"
                    type="button"
                    onClick={() => setFrom(from.slice(0, -1))}
                  >
                    Newer
                  </button>
                )}
                {next !== null && (
                  <button
                    class="button small"
                    type="button"
                    onClick={() => setFrom([...from, next])}
                  >
                    Older
                  </button>
                )}
              </div>
            </>
          )}
        </Show>
      </Card>
      {isOperator && <WhoStores />}
    </div>
  )
}

/** In place of what would be refused. */
function Closed({ next }: { readonly next: string | null }) {
  return (
    <Note tone="warn">
      <p>The file face is closed to this account: it asks for a card on file. {next}</p>
      <p>
        <Link to="/card">To the card</Link>
      </p>
    </Note>
  )
}

function Quota({
  stored,
}: {
  readonly stored: { readonly blocks: number; readonly bytes: number } | null
}) {
  const account = useAccount()
  const found = useLoaded(
    (signal) => call('GET /accounts/{account}', { account: account.id }, signal),
    [account.id],
  )
  const max = found.value?.account.settings.filesStoredBytes ?? null
  if (stored === null) return null
  const used = formatBytes(stored.bytes)
  if (max === null) {
    return (
      <Card title="Storage">
        <p>{`${used} in ${formatCount(stored.blocks, 'block')}, each counted once; no quota is set.`}</p>
      </Card>
    )
  }
  const share = max === 0 ? 1 : stored.bytes / max
  const tone = share >= 1 ? 'bad' : share >= 0.75 ? 'warn' : 'plain'
  return (
    <Card title="Storage">
      <Progress
        title="Of the account's quota"
        value={Math.min(stored.bytes, max)}
        max={max === 0 ? 1 : max}
        text={`${used} of ${formatBytes(max)}`}
        tone={tone}
      />
    </Card>
  )
}

/** Pins what is elsewhere: it is fetched first. */
function PinCard({ place, onDone }: { readonly place: KeyPlace; onDone(): void }) {
  const [cid, setCid] = useState('')
  const sending = useSending()
  const toast = useToast()
  return (
    <Card
      title="Pin a CID"
      about="What is not here yet is fetched from the sources that the settings name."
    >
      <Form
        sending={sending}
        action="Pin"
        onSend={async () => {
          await (await callFiles(place, 'pin/add', { arg: cid.trim() })).text()
          setCid('')
          toast('It is pinned')
          onDone()
        }}
      >
        <TextField title="CID" value={cid} onValue={setCid} placeholder="bafybei…" />
      </Form>
    </Card>
  )
}

function Pins({
  pins,
  place,
  reading,
  onChanged,
}: {
  readonly pins: readonly Pin[]
  readonly place: KeyPlace | null
  readonly reading: Reading | null
  onChanged(): void
}) {
  const [leaving, setLeaving] = useState<Pin | null>(null)
  const toast = useToast()
  return (
    <>
      <Table
        caption="Pins of the account"
        rows={pins}
        keyOf={({ cid }) => cid}
        empty={<Empty title="Nothing is pinned yet" />}
        columns={[
          {
            title: 'Name',
            cell: ({ name, mode }) => (
              <span class="row">
                {name === '' ? <span class="soft">Untitled</span> : name}
                {mode === 'direct' && <Badge>direct</Badge>}
              </span>
            ),
          },
          {
            title: 'CID',
            cell: ({ cid }) => (
              <span class="value">
                <span class="mono">{cid}</span>
                <CopyButton text={cid} title="Copy the CID" />
              </span>
            ),
          },
          {
            title: 'Size',
            number: true,
            cell: ({ bytes }) => (bytes === null ? 'being counted' : formatBytes(bytes)),
          },
          { title: 'Pinned', cell: ({ created }) => formatTime(created) },
          {
            title: 'Actions',
            actions: true,
            cell: (pin) => (
              <span class="row">
                {isOpen(reading) && (
                  <a
                    class="button small"
                    href={linkOf(pin.cid, reading)}
                    target="_blank"
                    rel="noopener"
                  >
                    Open
                  </a>
                )}
                <Link class="button small" to={`/proof?cid=${pin.cid}`}>
                  Prove
                </Link>
                {place !== null && (
                  <button class="button small danger" type="button" onClick={() => setLeaving(pin)}>
                    Unpin
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
      {pins.length > 0 && reading !== null && !isOpen(reading) && (
        <Note>
          Readers are not shown files here: set gateway.deserialized, and gateway.public for those
          without a key, to open pins in a browser.
        </Note>
      )}
      {leaving !== null && place !== null && (
        <ConfirmDialog
          title={`Unpin ${titleOf(leaving)}?`}
          action={`Unpin ${titleOf(leaving)}`}
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await (await callFiles(place, 'pin/rm', { arg: leaving.cid })).text()
            toast(`${titleOf(leaving)} is no longer pinned`)
            onChanged()
          }}
        >
          <p>
            The next collection deletes its blocks, unless another pin of this account holds them.
          </p>
          <p class="mono">{leaving.cid}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The name of the pin, or the start of its CID. */
function titleOf({ name, cid }: Pin): string {
  return name === '' ? `${cid.slice(0, 12)}…` : name
}

function isOpen(reading: Reading | null): boolean {
  return reading !== null && reading.enabled && reading.public && reading.deserialized
}

function linkOf(cid: string, reading: Reading | null): string {
  const host = reading?.host ?? null
  return host === null ? `/ipfs/${cid}` : `${location.protocol}//${host}/ipfs/${cid}`
}

function WhoStores() {
  const storage = useLoaded((signal) => call('GET /storage', {}, signal), [])
  return (
    <Card title="Who stores what" flush>
      <Show loaded={storage}>
        {({ accounts, stored }) => (
          <>
            <Table
              caption="Storage by account"
              rows={accounts}
              keyOf={({ account }) => account}
              empty={<Empty title="Nobody keeps anything yet" />}
              columns={[
                { title: 'Account', cell: ({ account }) => account },
                { title: 'Pins', number: true, cell: ({ pins }) => formatNumber(pins) },
                { title: 'Blocks', number: true, cell: ({ blocks }) => formatNumber(blocks) },
                { title: 'Counted', number: true, cell: ({ bytes }) => formatBytes(bytes) },
              ]}
            />
            <p class="pages soft">
              {`On disk: ${formatBytes(stored.bytes)} in ${formatCount(stored.blocks, 'block')}; what several accounts keep is there once.`}
            </p>
          </>
        )}
      </Show>
    </Card>
  )
}
