// Files of the account: upload, list, pin, unpin, open, and the used share of the quota.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { type Choices, KeyFields, NoKey, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { formatBytes, formatCount, formatNumber } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { useAccount, useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { PinRequests } from '../files/pin-requests.tsx'
import { Pins } from '../files/pins.tsx'
import { UploadCard } from '../files/upload-card.tsx'
import '../style/files.css'
import { PublicPins } from '../files/public-pins.tsx'
import { Card, PageHead } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { Progress } from '../ui/progress.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

export function FilesPage() {
  const choices = useChoices()
  return (
    <>
      <PageHead title="Files" about="The pinned files of this account." />
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
        <NoKey title="Uploads need an API key" />
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
                port={String(status.value?.facesPort ?? location.port)}
                onChanged={files.again}
              />
              <Pager from={from} next={next} onFrom={setFrom} />
            </>
          )}
        </Show>
      </Card>
      <PublicPins />
      <PinRequests />
      {isOperator && <StorageByAccount />}
    </div>
  )
}

/** `from`: starts of the pages up to the shown one; `next`: start of the next page, null: none. */
function Pager({
  from,
  next,
  onFrom,
}: {
  readonly from: readonly string[]
  readonly next: string | null
  onFrom(from: readonly string[]): void
}) {
  return (
    <div class="row pages">
      {from.length > 0 && (
        <button class="button small" type="button" onClick={() => onFrom(from.slice(0, -1))}>
          Newer
        </button>
      )}
      {next !== null && (
        <button class="button small" type="button" onClick={() => onFrom([...from, next])}>
          Older
        </button>
      )}
    </div>
  )
}

/** Shown in place of forms that the API would refuse. */
function Closed({ next }: { readonly next: string | null }) {
  return (
    <Note tone="warn">
      <p>The IPFS API requires a billing card, and this account has none. {next}</p>
      <p>
        <Link to="/card">Billing</Link>
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
        <p>{`${used} used in ${formatCount(stored.blocks, 'block')} · no limit`}</p>
      </Card>
    )
  }
  const share = max === 0 ? 1 : stored.bytes / max
  const tone = share >= 1 ? 'bad' : share >= 0.75 ? 'warn' : 'plain'
  return (
    <Card title="Storage">
      <Progress
        title="Used of the limit"
        value={Math.min(stored.bytes, max)}
        max={max === 0 ? 1 : max}
        text={`${used} of ${formatBytes(max)}`}
        tone={tone}
      />
    </Card>
  )
}

/** Pins a CID. Cairn fetches missing blocks first. */
function PinCard({ place, onDone }: { readonly place: KeyPlace; onDone(): void }) {
  const [cid, setCid] = useState('')
  const sending = useSending()
  const toast = useToast()
  return (
    <Card
      title="Pin a CID"
      about="If the content isn't here yet, Cairn fetches it from the configured sources."
    >
      <Form
        sending={sending}
        action="Pin"
        onSend={async () => {
          await (await callFiles(place, 'pin/add', { arg: cid.trim() })).text()
          setCid('')
          toast('Pinned')
          onDone()
        }}
      >
        <TextField title="CID" value={cid} onValue={setCid} placeholder="bafybei…" />
      </Form>
    </Card>
  )
}

function StorageByAccount() {
  const storage = useLoaded((signal) => call('GET /storage', {}, signal), [])
  return (
    <Card title="Storage by account" flush>
      <Show loaded={storage}>
        {({ accounts, stored }) => (
          <>
            <Table
              caption="Storage by account"
              rows={accounts}
              keyOf={({ account }) => account}
              empty={<Empty title="No stored files yet" />}
              columns={[
                { title: 'Account', cell: ({ account }) => account },
                { title: 'Pins', number: true, cell: ({ pins }) => formatNumber(pins) },
                { title: 'Blocks', number: true, cell: ({ blocks }) => formatNumber(blocks) },
                { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
              ]}
            />
            <p class="pages soft">
              {`On disk: ${formatBytes(stored.bytes)} in ${formatCount(stored.blocks, 'block')}. Shared blocks are stored once.`}
            </p>
          </>
        )}
      </Show>
    </Card>
  )
}
