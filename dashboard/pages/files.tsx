// Files of the account: search, sort, upload, open, rename, unpin. Files and folders can be dropped anywhere on the page.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import { call, messageOf } from '../app/api.ts'
import { type Choices, KeyPick, useChoices, useKeyChoice } from '../app/choose-key.tsx'
import { formatBytes, formatCount, formatNumber } from '../app/format.ts'
import { Link } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useMay } from '../app/use-may.ts'
import { type Pin, pinTitle, restorePin, unpin } from '../files/pin-calls.ts'
import { PinDialog, RenameDialog, UnpinSeveral } from '../files/pin-dialogs.tsx'
import { PinRequests } from '../files/pin-requests.tsx'
import { Pins } from '../files/pins.tsx'
import { UploadButtons, UploadState } from '../files/upload-parts.tsx'
import {
  announcements,
  pageRows,
  type Sort,
  sorts,
  types,
  useAbout,
  useFiles,
} from '../files/use-files.ts'
import { useUpload } from '../files/use-upload.ts'
import '../style/files.css'
import { Card, PageHead } from '../ui/card.tsx'
import { Empty, Note, Show } from '../ui/note.tsx'
import { Pager } from '../ui/table.tsx'
import { Pick, SearchBox } from '../ui/toolbar.tsx'
import { useToast } from '../ui/toast.tsx'

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
  const [opened, setOpened] = useState<Opened | null>(null)
  const [selected, setSelected] = useState<ReadonlyMap<string, Pin>>(new Map())
  const list = useFiles()
  const { files, filter, setFilter } = list
  const about = useAbout()
  const opensFiles = about.value?.card.opensFiles !== false
  const place = opensFiles ? choice.place : null
  const uploading = useUpload(place, files.again)
  const done = (): void => {
    setSelected(new Map())
    files.again()
  }
  const attempt = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run()
      done()
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
  }
  const unpinOne = (pin: Pin): Promise<void> =>
    attempt(async () => {
      if (place === null) return
      await unpin(place, pin)
      toast(`${pinTitle(pin)} is no longer pinned`, 'good', () => {
        void attempt(() => restorePin(place, pin))
      })
    })
  const setPrivate = ({ cid, ...pin }: Pin): Promise<void> =>
    attempt(async () => {
      const provide = pin.provide === 'none' ? 'all' : 'none'
      await call('PATCH /accounts/{account}/files/{cid}', { account, cid, provide })
      toast(provide === 'none' ? 'The pin is private' : 'The setting of the account applies')
    })
  const select = (pins: readonly Pin[], isSelected: boolean): void => {
    const next = new Map(selected)
    for (const pin of pins) {
      if (isSelected) next.set(pin.cid, pin)
      else next.delete(pin.cid)
    }
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
  const isFiltered = filter.search !== '' || filter.type !== '' || filter.announcement !== ''
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
        <SearchBox title="Name or CID" value={list.text} onValue={list.setText} />
        <Pick
          title="Type"
          value={filter.type}
          options={types}
          onValue={(type) => setFilter({ type })}
        />
        {(files.value?.announces === true || filter.announcement !== '') && (
          <Pick
            title="Network"
            value={filter.announcement}
            options={announcements}
            onValue={(announcement) => setFilter({ announcement })}
          />
        )}
        <Pick
          title="Sort"
          value={filter.sort}
          options={sorts}
          onValue={(sort) => setFilter({ sort })}
        />
        {choices.keys.options.length > 1 && choice.place !== null && (
          <KeyPick title="As key" choices={choices} choice={choice} />
        )}
      </div>
      <Card flush>
        <Show loaded={files}>
          {({ pins, found }) => (
            <>
              <Pins
                pins={pins}
                reading={about.value?.reading ?? null}
                provide={about.value?.provide ?? 'none'}
                selected={new Set(selected.keys())}
                onSelect={select}
                sort={filter.sort}
                onSort={(sort: Sort) => setFilter({ sort })}
                actions={{
                  rename: place === null ? null : (pin) => setOpened({ kind: 'rename', pin }),
                  unpin: place === null ? null : (pin) => void unpinOne(pin),
                  setPrivate: mayChange ? (pin) => void setPrivate(pin) : null,
                }}
                empty={<NoFiles isFiltered={isFiltered} buttons={buttons} onClear={list.clear} />}
              />
              {(isFiltered || list.before > 0 || list.toNext !== null) && found > 0 && (
                <div class="card-foot">
                  <span>{rangeText(list.before, pins.length, found)}</span>
                  <Pager onPrevious={list.toPrevious} onNext={list.toNext} />
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

function rangeText(pagesBefore: number, shown: number, found: number): string {
  const first = pagesBefore * pageRows + 1
  return `${formatNumber(first)}–${formatNumber(first + shown - 1)} of ${formatNumber(found)}`
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
  isFiltered,
  buttons,
  onClear,
}: {
  readonly isFiltered: boolean
  readonly buttons: preact.ComponentChildren
  onClear(): void
}) {
  if (isFiltered) {
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

/** Shown instead of buttons that the API would refuse. */
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
