// One pinned file or folder: preview or entries, links, details, unpin. Subfolders have paths below that of the pin.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { NoKey, useChoices, useKeyChoice, type Choices } from '../app/choose-key.tsx'
import { formatBytes, formatCount } from '../app/format.ts'
import type { PageProps } from '../app/pages.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { FileDetails, type Stat } from '../files/file-details.tsx'
import { gatewayLink, openAs, type Reading } from '../files/gateway-links.ts'
import { isPublic, unpin } from '../files/pin-calls.ts'
import { PinReaders } from '../files/pin-readers.tsx'
import type { Provide } from '../files/pins.tsx'
import { Preview } from '../files/preview.tsx'
import '../style/files.css'
import { Card, PageHead } from '../ui/card.tsx'
import { Value, writeClipboard } from '../ui/copy.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { Show } from '../ui/note.tsx'
import { Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'

export function FilePage({ names }: PageProps) {
  const choices = useChoices()
  return (
    <Show loaded={choices}>
      {(value) => <OfChoices key={names['cid']} choices={value} cid={names['cid'] ?? ''} />}
    </Show>
  )
}

function OfChoices({ choices, cid }: { readonly choices: Choices; readonly cid: string }) {
  const { place } = useKeyChoice(choices)
  const { query } = usePlace()
  if (place === null) return <NoKey title="Previews need an API key" />
  const inside = (query.get('path') ?? '').split('/').filter((part) => part !== '')
  return <File key={inside.join('/')} place={place} cid={cid} inside={inside} />
}

function File({
  place,
  cid,
  inside,
}: {
  readonly place: KeyPlace
  readonly cid: string
  /** Names from the root to the shown file. */
  readonly inside: readonly string[]
}) {
  const { id: account } = useAccount()
  const { go } = usePlace()
  const [leaving, setLeaving] = useState(false)
  const toast = useToast()
  const path = [cid, ...inside].join('/')
  const found = useLoaded((signal) => loadFile(account, place, cid, path, signal), [account, path])
  const pin = found.value?.pin ?? null
  const root = pin === null ? cid.slice(0, 12) : pin.name === '' ? 'Untitled' : pin.name
  const name = inside.at(-1) ?? root
  const fileName = inside.at(-1) ?? (pin === null || pin.name === '' ? cid : pin.name)
  const link = found.value?.link ?? null
  const archive = found.value?.archive ?? null
  return (
    <>
      <PageHead
        title={name}
        above={<Crumbs cid={cid} root={root} inside={inside} />}
        actions={
          link !== null && (
            <>
              <CopyLink link={new URL(link, location.href).href} />
              <a
                class="button"
                href={`${link}?download=true&filename=${encodeURIComponent(fileName)}`}
                target="_blank"
                rel="noopener"
              >
                <Icon name="download" size={16} /> Download
              </a>
              <a class="button" href={link} target="_blank" rel="noopener">
                <Icon name="open" size={16} /> Open
              </a>
            </>
          )
        }
      />
      <div class="columns">
        <div class="stack">
          <Show loaded={found}>
            {({ stat }) =>
              stat.Type === 'directory' ? (
                <Folder place={place} cid={cid} inside={inside} />
              ) : (
                <Preview place={place} path={path} name={name} bytes={stat.Size} />
              )
            }
          </Show>
          <Card title="Links">
            <div class="field">
              <span class="field-title">CID</span>
              <Value text={found.value?.stat.Hash ?? path} title="Copy the CID" />
            </div>
            {link !== null && (
              <div class="field">
                <span class="field-title">Gateway</span>
                <Value text={new URL(link, location.href).href} title="Copy the link" />
              </div>
            )}
          </Card>
        </div>
        <div class="stack">
          {found.value !== undefined && (
            <FileDetails
              stat={found.value.stat}
              pin={inside.length === 0 ? pin : null}
              found={inside.length === 0 ? found.value : null}
            />
          )}
          {found.value !== undefined && pin !== null && inside.length === 0 && (
            <PinReaders
              account={account}
              pin={pin}
              provide={found.value.provide}
              again={found.again}
            />
          )}
          <Card title="Integrity" actions={<Link to={`/proof?cid=${path}`}>Show proof</Link>}>
            <p class="soft">
              Cairn hashes every block before it stores it, and again when it reads it.
            </p>
            {archive !== null && (
              <a
                href={`${archive}?format=car&filename=${encodeURIComponent(`${fileName}.car`)}`}
                target="_blank"
                rel="noopener"
              >
                Download CAR
              </a>
            )}
          </Card>
          {pin !== null && inside.length === 0 && (
            <section class="card danger-zone">
              <span class="soft">
                {pin.bytes === null
                  ? 'Unpin this.'
                  : `Unpinning frees up to ${formatBytes(pin.bytes)}.`}
              </span>
              <button class="button danger" type="button" onClick={() => setLeaving(true)}>
                Unpin…
              </button>
            </section>
          )}
        </div>
      </div>
      {leaving && pin !== null && (
        <ConfirmDialog
          title={`Unpin “${root}”?`}
          action={`Unpin ${root}`}
          keep="Keep file"
          onClose={() => setLeaving(false)}
          onConfirm={async () => {
            await unpin(place, pin)
            toast(`${root} is no longer pinned`)
            go('/files')
          }}
        >
          The next garbage collection deletes its blocks, unless another pin contains them. Copies
          that others fetched remain.
        </ConfirmDialog>
      )}
    </>
  )
}

type FoundFile = AdminReply<'GET /accounts/{account}/files/{cid}'> & {
  readonly stat: Stat
  /** URL that a browser opens; null: the gateway serves no files, or not to readers without a key. */
  readonly link: string | null
  /** URL of its CAR archive, with a query; null: the gateway requires a key. */
  readonly archive: string | null
  /** Setting of the account. */
  readonly provide: Provide
}

async function loadFile(
  account: string,
  place: KeyPlace,
  cid: string,
  path: string,
  signal: AbortSignal,
): Promise<FoundFile> {
  const [response, file, status, found] = await Promise.all([
    callFiles(place, 'files/stat', { arg: `/ipfs/${path}` }, { signal }),
    call('GET /accounts/{account}/files/{cid}', { account, cid }, signal),
    call('GET /status', {}, signal),
    call('GET /accounts/{account}', { account }, signal),
  ])
  const reading: Reading = {
    gateway: status.gateway,
    port: String(status.facesPort ?? location.port),
  }
  const { provide } = found.account.settings
  const form = openAs(reading, isPublic(file.pin, provide))
  const link = form === null ? null : gatewayLink(path, reading)
  return {
    ...file,
    stat: (await response.json()) as Stat,
    link: form === 'content' ? link : null,
    archive: link,
    provide,
  }
}

function Crumbs({
  cid,
  root,
  inside,
}: {
  readonly cid: string
  readonly root: string
  readonly inside: readonly string[]
}) {
  const above = inside.length === 0 ? [] : [root, ...inside.slice(0, -1)]
  return (
    <>
      <Link to="/files">Files</Link>
      {above.map((name, at) => (
        <span key={name}>
          {' › '}
          <Link to={linkTo(cid, inside.slice(0, at))}>{name}</Link>
        </span>
      ))}
    </>
  )
}

function linkTo(cid: string, inside: readonly string[]): string {
  const path = inside.length === 0 ? '' : `?${new URLSearchParams({ path: inside.join('/') })}`
  return `/files/${cid}${path}`
}

type Entry = {
  readonly Name: string
  readonly Hash: string
  readonly Size: number
  readonly Type: number
}

/** Type 1 in replies of `ls` is a folder. */
const folderType = 1

function Folder({
  place,
  cid,
  inside,
}: {
  readonly place: KeyPlace
  readonly cid: string
  readonly inside: readonly string[]
}) {
  const path = [cid, ...inside].join('/')
  const found = useLoaded(
    async (signal) => {
      const response = await callFiles(place, 'ls', { arg: path }, { signal })
      const { Objects } = (await response.json()) as {
        Objects: readonly { readonly Links: readonly Entry[] }[]
      }
      return Objects[0]?.Links ?? []
    },
    [path],
  )
  return (
    <Card flush>
      <Show loaded={found}>
        {(entries) => (
          <Table
            caption="Entries of the folder"
            dense
            rows={entries}
            keyOf={({ Name }) => Name}
            foot={formatCount(entries.length, 'entry').replace('entrys', 'entries')}
            columns={[
              {
                title: 'Name',
                sort: ({ Name }) => Name,
                cell: ({ Name, Type }) => (
                  <span class="file-name">
                    <Icon name={Type === folderType ? 'files' : 'file'} size={16} />
                    <Link to={linkTo(cid, [...inside, Name])} class="name">
                      {Name}
                    </Link>
                  </span>
                ),
              },
              {
                title: 'Size',
                number: true,
                unit: '',
                sort: ({ Size }) => Size,
                cell: ({ Size, Type }) => (Type === folderType ? '–' : formatBytes(Size)),
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

/** The primary action of the page. */
function CopyLink({ link }: { readonly link: string }) {
  const toast = useToast()
  const copy = async (): Promise<void> => {
    await writeClipboard(link)
    toast('Link copied')
  }
  return (
    <button class="button primary" type="button" onClick={() => void copy()}>
      <Icon name="link" size={16} /> Copy link
    </button>
  )
}
