// Files of the account: find, upload, open, rename, unpin; files are dropped anywhere on the page.
// Tested by test/browser/files.test.ts
import { useEffect, useState } from 'preact/hooks'
import { call, messageOf } from '../app/api.ts'
import { type Choices, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { formatBytes, formatCount, formatNumber } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { useMay } from '../app/use-may.ts'
import type { Reading } from '../files/gateway-links.ts'
import {
  type Pin,
  PinDialog,
  pinTitle,
  RenameDialog,
  renamePin,
  unpin,
  UnpinSeveral,
} from '../files/pin-dialogs.tsx'
import { PinRequests } from '../files/pin-requests.tsx'
import { Pins } from '../files/pins.tsx'
import { UploadButtons, UploadState } from '../files/upload-parts.tsx'
import { useUpload } from '../files/use-upload.ts'
import '../style/files.css'
import { Card, PageHead } from '../ui/card.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { Pager } from '../ui/table.tsx'
import { Pick, SearchBox } from '../ui/toolbar.tsx'
import { useToast } from '../ui/toast.tsx'

const pageRows = 50
const typingMs = 250

export function FilesPage() {
  const choices = useChoices()
  return <Show loaded={choices}>{(value) => <Files choices={value} />}</Show>
}

type Opened =
  | { readonly kind: 'pin' }
  | { readonly kind: 'rename'; readonly pin: Pin }
  | { readonly kind: 'unpin'; readonly pins: readonly Pin[] }

function Files({ choices }: { readonly choices: Choices }) {
  const choice = useKeyChoice(choices)
  const { id: account } = useAccount()
  const mayChange = useMay('owner')
  const toast = useToast()
  const [text, setText] = useState('')
  const [opened, setOpened] = useState<Opened | null>(null)
  const [selected, setSelected] = useState<ReadonlyMap<string, Pin>>(new Map())
  const { files, from, setFrom, search } = useFiles(text)
  const about = useAbout()
  const opensFiles = about.value?.card.opensFiles !== false
  const place = opensFiles ? choice.place : null
  const uploading = useUpload(place, files.again)
  const done = (): void => {
    setSelected(new Map())
    files.again()
  }
  const unpinOne = async (pin: Pin): Promise<void> => {
    if (place === null) return
    try {
      await unpin(place, pin)
      done()
      toast(`${pinTitle(pin)} is no longer pinned`, 'good', () => {
        renamePin(place, pin, pin.name).then(done, (error: unknown) =>
          toast(messageOf(error), 'bad'),
        )
      })
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
  }
  const setPrivate = async ({ cid, ...pin }: Pin): Promise<void> => {
    const provide = pin.provide === 'none' ? 'all' : 'none'
    try {
      await call('PATCH /accounts/{account}/files/{cid}', { account, cid, provide })
      toast(provide === 'none' ? 'The pin is private' : 'The setting of the account applies')
      files.again()
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
  }
  const select = (cid: string): void => {
    const next = new Map(selected)
    const pin = files.value?.pins.find((one) => one.cid === cid)
    if (!next.delete(cid) && pin !== undefined) next.set(cid, pin)
    setSelected(next)
  }
  const buttons = place !== null && (
    <>
      <button class="button" type="button" onClick={() => setOpened({ kind: 'pin' })}>
        Pin a CID
      </button>
      <UploadButtons uploading={uploading} />
    </>
  )
  return (
    <>
      <PageHead title="Files" about={usedText(files.value, about.value)} actions={buttons} />
      {!opensFiles && <Closed next={about.value?.card.next ?? null} />}
      {opensFiles && choice.place === null && (
        <Note>
          Uploads need an API key. <Link to="/keys">Create key</Link>
        </Note>
      )}
      <UploadState uploading={uploading} />
      <div class="toolbar">
        <SearchBox title="Name or CID" value={text} onValue={setText} />
        {choices.keys.length > 1 && choice.place !== null && (
          <Pick
            title="As key"
            value={choice.place.key}
            options={choices.keys.map(({ id, title }) => ({ value: id, title }))}
            onValue={choice.choose}
          />
        )}
      </div>
      <Card flush>
        <Show loaded={files}>
          {({ pins, next, count }) => (
            <>
              <Pins
                pins={pins}
                reading={about.value?.reading ?? null}
                provide={about.value?.provide ?? 'none'}
                selected={new Set(selected.keys())}
                onSelect={select}
                actions={{
                  rename: place === null ? null : (pin) => setOpened({ kind: 'rename', pin }),
                  unpin: place === null ? null : (pin) => void unpinOne(pin),
                  setPrivate: mayChange ? (pin) => void setPrivate(pin) : null,
                }}
                empty={<NoFiles search={search} buttons={buttons} onClear={() => setText('')} />}
              />
              {(from.length > 0 || next !== null) && (
                <div class="card-foot">
                  <span>
                    {`From ${formatNumber(from.length * pageRows + 1)}${search === '' ? ` of ${formatNumber(count)}` : ''}`}
                  </span>
                  <Pager
                    onPrevious={from.length === 0 ? null : () => setFrom(from.slice(0, -1))}
                    onNext={next === null ? null : () => setFrom([...from, next])}
                  />
                </div>
              )}
            </>
          )}
        </Show>
      </Card>
      {selected.size > 0 && place !== null && (
        <Selection
          pins={[...selected.values()]}
          onClear={() => setSelected(new Map())}
          onUnpin={(pins) => setOpened({ kind: 'unpin', pins })}
        />
      )}
      <PinRequests />
      {opened !== null && place !== null && (
        <FileDialog opened={opened} place={place} onDone={done} onClose={() => setOpened(null)} />
      )}
    </>
  )
}

/** A page of pins, those that the text finds. */
function useFiles(text: string) {
  const { id: account } = useAccount()
  const [search, setSearch] = useState('')
  const [from, setFrom] = useState<readonly string[]>([])
  useEffect(() => {
    // Without a new search the page stays: a click on Next may come before the timer.
    if (text.trim() === search) return
    const timer = setTimeout(() => {
      setSearch(text.trim())
      setFrom([])
    }, typingMs)
    return () => clearTimeout(timer)
  }, [text, search])
  const start = from.at(-1)
  const files = useLoaded(
    (signal) =>
      call(
        'GET /accounts/{account}/files',
        {
          account,
          limit: pageRows,
          ...(start === undefined ? {} : { from: start }),
          ...(search === '' ? {} : { search }),
        },
        signal,
      ),
    [account, start, search],
  )
  return { files, from, setFrom, search }
}

/** What the page needs beside the pins. */
function useAbout() {
  const { id: account } = useAccount()
  return useLoaded(
    async (signal) => {
      const [status, card, found] = await Promise.all([
        call('GET /status', {}, signal),
        call('GET /accounts/{account}/card', { account }, signal),
        call('GET /accounts/{account}', { account }, signal),
      ])
      const reading: Reading = {
        gateway: status.gateway,
        port: String(status.facesPort ?? location.port),
      }
      const { provide, filesStoredBytes: max } = found.account.settings
      return { reading, card, provide, max }
    },
    [account],
  )
}

function usedText(
  files: { readonly stored: { readonly bytes: number }; readonly count: number } | undefined,
  about: { readonly max: number | null } | undefined,
): string {
  if (files === undefined || about === undefined) return 'Counting…'
  const used = formatBytes(files.stored.bytes)
  const ofMax = about.max === null ? 'used · no limit' : `of ${formatBytes(about.max)} used`
  return `${used} ${ofMax} · ${formatCount(files.count, 'pin')}`
}

function NoFiles({
  search,
  buttons,
  onClear,
}: {
  readonly search: string
  readonly buttons: preact.ComponentChildren
  onClear(): void
}) {
  if (search !== '') {
    return (
      <Empty
        title="No files match"
        action={
          <button class="button" type="button" onClick={onClear}>
            Clear filters
          </button>
        }
      />
    )
  }
  return (
    <Empty
      icon="files"
      title="No files yet"
      {...(buttons === false
        ? {}
        : { action: <a href="/docs/guides/upload-files">How to upload from code</a> })}
    >
      Drop files or folders anywhere on this page, or pin something that is already on IPFS.
    </Empty>
  )
}

function Selection({
  pins,
  onClear,
  onUnpin,
}: {
  readonly pins: readonly Pin[]
  onClear(): void
  onUnpin(pins: readonly Pin[]): void
}) {
  const bytes = pins.reduce((sum, pin) => sum + (pin.bytes ?? 0), 0)
  return (
    <div class="selection" role="region" aria-label="Selection">
      <b>{formatNumber(pins.length)} selected</b>
      <small>{formatBytes(bytes)}</small>
      <button class="button small danger-primary" type="button" onClick={() => onUnpin(pins)}>
        {`Unpin ${formatCount(pins.length, 'file')}…`}
      </button>
      <button class="button small" type="button" onClick={onClear}>
        Clear
      </button>
    </div>
  )
}

function FileDialog({
  opened,
  ...props
}: {
  readonly opened: Opened
  readonly place: Parameters<typeof unpin>[0]
  onDone(): void
  onClose(): void
}) {
  switch (opened.kind) {
    case 'pin':
      return <PinDialog {...props} />
    case 'rename':
      return <RenameDialog pin={opened.pin} {...props} />
    case 'unpin':
      return <UnpinSeveral pins={opened.pins} {...props} />
  }
}

/** Shown in place of buttons that the API would refuse. */
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
