// Table of the pins of the account, each with a menu: open, links, rename, unpin. Selected pins have a bar of actions.
// Tested by test/browser/files.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { formatAgo, formatBytes, formatCount, formatTime } from '../app/format.ts'
import { Link, usePlace } from '../app/router.tsx'
import { State } from '../ui/badge.tsx'
import { CopyButton, writeClipboard } from '../ui/copy.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useToast } from '../ui/toast.tsx'
import { titleOf } from './content-kind.ts'
import { gatewayLink, openAs, type Reading, shortCid } from './gateway-links.ts'
import { isPublic, type Pin, pinTitle } from './pin-calls.ts'
import type { Sort } from './use-files.ts'

export type PinActions = {
  /** Null: the person has no key with permission to change pins. */
  readonly rename: ((pin: Pin) => void) | null
  readonly unpin: ((pin: Pin) => void) | null
  /** Null: members have no permission. */
  readonly setPrivate: ((pin: Pin) => void) | null
}

export type Provide = AdminReply<'GET /accounts/{account}'>['account']['settings']['provide']

export function Pins({
  pins,
  reading,
  provide,
  selected,
  sort,
  actions,
  empty,
  onSelect,
  onSort,
}: {
  readonly pins: readonly Pin[]
  /** Null: not loaded yet. */
  readonly reading: Reading | null
  /** Setting of the account. */
  readonly provide: Provide
  /** CIDs. */
  readonly selected: ReadonlySet<string>
  readonly sort: Sort
  readonly actions: PinActions
  readonly empty: preact.ComponentChildren
  onSelect(pins: readonly Pin[], isSelected: boolean): void
  onSort(sort: Sort): void
}) {
  const { go } = usePlace()
  const toast = useToast()
  const columns: readonly Column<Pin>[] = [
    {
      title: 'Name',
      sort: ({ name }) => name,
      heading: (
        <input
          class="tick all"
          type="checkbox"
          aria-label="Select all on this page"
          checked={pins.every(({ cid }) => selected.has(cid))}
          onChange={(event) => onSelect(pins, event.currentTarget.checked)}
        />
      ),
      cell: (pin) => (
        <span class="file-name">
          <input
            class="tick"
            type="checkbox"
            aria-label={`Select ${pinTitle(pin)}`}
            checked={selected.has(pin.cid)}
            onChange={(event) => onSelect([pin], event.currentTarget.checked)}
          />
          <span class="file-icon">
            <Icon name={iconOf(pin.name)} size={16} />
          </span>
          <span class="two">
            <Link to={`/files/${pin.cid}`} class="name">
              {pin.name === '' ? 'Untitled' : pin.name}
            </Link>
            <small>{aboutPin(pin)}</small>
          </span>
        </span>
      ),
    },
    {
      title: 'CID',
      hides: 'wide',
      cell: ({ cid }) => (
        <span class="cid mono" title={cid}>
          {shortCid(cid)}
          <CopyButton text={cid} title="Copy the CID" />
        </span>
      ),
    },
    {
      title: 'Size',
      number: true,
      unit: '',
      sort: ({ bytes }) => bytes ?? 0,
      cell: ({ bytes }) => (bytes === null ? 'counting' : formatBytes(bytes)),
    },
    {
      title: 'Pinned',
      sort: ({ created }) => created,
      cell: ({ created }) => (
        <span class="soft" title={formatTime(created)}>
          {formatAgo(created, Date.now())}
        </span>
      ),
    },
    { title: 'Readers', keep: true, cell: (pin) => <Readers pin={pin} provide={provide} /> },
    {
      title: 'Actions',
      actions: true,
      cell: (pin) => (
        <Menu
          title={`Actions for ${pinTitle(pin)}`}
          small
          items={itemsOf(pin, linksOf(pin, reading, provide), actions, go, toast)}
        />
      ),
    },
  ]
  return (
    <Table
      caption="Pins of the account"
      rows={pins}
      keyOf={({ cid }) => cid}
      isSelected={({ cid }) => selected.has(cid)}
      columns={columns}
      sorted={{
        order: { by: sortTitles[fieldOf(sort)], down: sort.startsWith('-') },
        onSort: (title) => onSort(nextSort(title, sort)),
      }}
      empty={empty}
    />
  )
}

const sortTitles = { name: 'Name', size: 'Size', created: 'Pinned' } as const
type SortField = keyof typeof sortTitles

function fieldOf(sort: Sort): SortField {
  return sort.replace('-', '') as SortField
}

/** Initial order: names from A, largest size, newest date; a click on the current heading reverses it. */
function nextSort(title: string, sort: Sort): Sort {
  const fields = ['name', 'size', 'created'] as const
  const field = fields.find((one) => sortTitles[one] === title) ?? 'created'
  if (fieldOf(sort) === field) return sort.startsWith('-') ? field : `-${field}`
  return field === 'name' ? 'name' : `-${field}`
}

type PinLinks = {
  /** URL that a browser opens; null: the gateway serves no files, or not to readers without a key. */
  readonly link: string | null
  /** URL of the CAR archive, if that is all that a browser can get. */
  readonly archive: string | null
}

/** `provide`: setting of the account. */
function linksOf(pin: Pin, reading: Reading | null, provide: Provide): PinLinks {
  const form = reading === null ? null : openAs(reading, isPublic(pin, provide))
  if (reading === null || form === null) return { link: null, archive: null }
  const link = gatewayLink(pin.cid, reading)
  if (form === 'content') return { link, archive: null }
  const fileName = encodeURIComponent(`${pin.name || pin.cid}.car`)
  return { link: null, archive: `${link}?format=car&filename=${fileName}` }
}

function itemsOf(
  pin: Pin,
  { link, archive }: PinLinks,
  { rename, unpin, setPrivate }: PinActions,
  go: (to: string) => void,
  toast: (text: string) => void,
): readonly MenuItem[] {
  const copy = async (text: string): Promise<void> => {
    await writeClipboard(new URL(text, location.href).href)
    toast('Link copied')
  }
  return [
    { title: 'Preview', icon: 'file', onChoose: () => go(`/files/${pin.cid}`) },
    ...(link === null
      ? []
      : ([
          { title: 'Open in gateway', icon: 'open', href: link },
          { title: 'Copy gateway link', icon: 'link', onChoose: () => void copy(link) },
          {
            title: 'Download',
            icon: 'download',
            href: `${link}?download=true&filename=${encodeURIComponent(pin.name || pin.cid)}`,
          },
        ] as const)),
    ...(archive === null
      ? []
      : [{ title: 'Download CAR', icon: 'download', href: archive } as const]),
    { title: 'Show proof', icon: 'proof', onChoose: () => go(`/proof?cid=${pin.cid}`) },
    ...(rename === null ? [] : [{ title: 'Rename…', onChoose: () => rename(pin) }]),
    ...(setPrivate === null
      ? []
      : [
          {
            title: pin.provide === 'none' ? 'Apply the setting of the account' : 'Make private',
            onChoose: () => setPrivate(pin),
          },
        ]),
    ...(unpin === null
      ? []
      : [{ title: 'Unpin', icon: 'trash' as const, danger: true, onChoose: () => unpin(pin) }]),
  ]
}

function iconOf(name: string): IconName {
  switch (titleOf(name)) {
    case null:
      return 'files'
    case 'Image':
      return 'image'
    case 'Video':
      return 'video'
    default:
      return 'file'
  }
}

function aboutPin({ name, mode, blocks }: Pin): string {
  const kind = titleOf(name) ?? (blocks === null ? 'Counting' : formatCount(blocks, 'block'))
  return mode === 'direct' ? `${kind}, one block pinned` : kind
}

/** Who can read the pin, and whether it is announced. */
export function Readers({ pin, provide }: { readonly pin: Pin; readonly provide: Provide }) {
  if (provide === 'none') return <State>Keys only</State>
  if (pin.provide === 'none') return <State>Private</State>
  const { announcedAt, announcesAt } = pin
  if (announcedAt === null && announcesAt !== null) return <State>Anyone, announcing</State>
  const title = announcedAt === null ? undefined : `Announced ${formatTime(announcedAt)}`
  return (
    <span title={title}>
      <State tone="good">{announcedAt === null ? 'Anyone' : 'Anyone, announced'}</State>
    </span>
  )
}
