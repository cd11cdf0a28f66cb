// Search over pages, keys, files, people, actions and documentation, and the list of keyboard shortcuts. For a pasted CID, address,
// transaction hash or block number, offers the page for it.
// Tested by test/browser/frame.test.ts
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { pages } from '../app/pages.ts'
import { base, usePlace } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { goKeys } from '../app/use-shortcuts.ts'
import { Dialog, DialogFoot } from './dialog.tsx'
import { Icon, type IconName } from './icons.tsx'
import {
  type Entry,
  foundEntries,
  groupMax,
  jumpsOf,
  readDocs,
  serverEntries,
} from './search-entries.ts'
import { mayOpen } from './shell.tsx'
import '../style/search.css'

export type LayerName = 'search' | 'keys'
export type LayerProps = { readonly name: LayerName; onClose(): void }

const typingMs = 150

export function SearchLayer({ name, onClose }: LayerProps) {
  return name === 'keys' ? <KeyList onClose={onClose} /> : <Search onClose={onClose} />
}

function Search({ onClose }: { onClose(): void }) {
  const { go } = usePlace()
  const session = useSession()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [entered, setEntered] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const local = useMemo(
    () => pages.filter((page) => page.nav !== undefined && mayOpen(page, session)).map(entryOf),
    [session],
  )
  const account = session.account?.id ?? null
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text.trim()), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  const stored = useLoaded(
    async (signal) => ({ search, entries: await foundEntries(account, search, signal) }),
    [account, search],
  )
  const others = useLoaded(
    async (signal) => (session.isOperator ? await serverEntries(signal) : []),
    [session.isOperator],
  )
  const docs = useLoaded(readDocs, [])
  const all = [...local, ...actionsFor(session), ...(others.value ?? []), ...(docs.value ?? [])]
  const isCurrent = stored.value?.search === text.trim()
  const found = matching(all, stored.value?.entries ?? [], text.trim(), isCurrent)
  const chosen = Math.min(at, Math.max(0, found.length - 1))
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    if (entry.to.startsWith('/docs/')) location.assign(entry.to)
    else go(entry.to)
  }
  // Enter before the server's results opens the first of all results, not one that moves away.
  useEffect(() => {
    if (!isCurrent) return
    if (entered) open(found[chosen])
    setEntered(false)
  }, [isCurrent])
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') return isCurrent ? open(found[chosen]) : setEntered(true)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || found.length === 0) return
    event.preventDefault()
    setAt((chosen + step + found.length) % found.length)
  }
  return (
    <Dialog title="Search" onClose={onClose} look="palette">
      <div class="palette-ask">
        <Icon name="search" />
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={found.length === 0 ? undefined : `found-${chosen}`}
          placeholder="Keys, files, pages, docs"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
            setEntered(false)
          }}
          onKeyDown={press}
        />
        <kbd>esc</kbd>
      </div>
      <div class="palette-list" role="listbox" id="found" aria-label="Results" ref={list}>
        {found.map((entry, index) => (
          <Result
            key={`${entry.group} ${entry.to} ${entry.title}`}
            entry={entry}
            index={index}
            isFirst={found[index - 1]?.group !== entry.group}
            isChosen={index === chosen}
            onOpen={() => open(entry)}
          />
        ))}
      </div>
      {found.length === 0 && <p class="palette-none">Nothing matches.</p>}
      <p class="palette-foot">
        <span>
          <kbd>↑↓</kbd> move
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>Paste a CID, address, block or request ID to jump to it</span>
      </p>
    </Dialog>
  )
}

function Result(props: {
  readonly entry: Entry
  readonly index: number
  readonly isFirst: boolean
  readonly isChosen: boolean
  onOpen(): void
}) {
  const { entry, index, isFirst, isChosen, onOpen } = props
  return (
    <>
      {isFirst && (
        <div class="palette-group" role="presentation">
          {entry.group}
        </div>
      )}
      <div
        id={`found-${index}`}
        class="palette-entry"
        role="option"
        aria-selected={isChosen}
        onClick={onOpen}
      >
        <Icon name={entry.icon} size={16} />
        <span>{entry.title}</span>
        <small class="soft">{entry.about}</small>
      </div>
    </>
  )
}

function entryOf({ path, title, nav }: (typeof pages)[number]): Entry {
  return { group: 'Pages', title, about: '', icon: nav?.icon ?? 'file', to: path }
}

/** `by`: who sees the tab. */
const settingsTabs = [
  { title: 'Public pins', tab: 'general', by: 'all' },
  { title: 'Billing', tab: 'billing', by: 'all' },
  { title: 'Alerts', tab: 'alerts', by: 'owner' },
  { title: 'Backups', tab: 'backups', by: 'operator' },
  { title: 'Single sign-on', tab: 'sign-on', by: 'operator' },
  { title: 'Mail', tab: 'mail', by: 'operator' },
  { title: 'Security', tab: 'security', by: 'operator' },
] as const

function actionsFor({ account, isOperator }: ReturnType<typeof useSession>): readonly Entry[] {
  const action = (title: string, icon: IconName, to: string): Entry => ({
    group: 'Actions',
    title,
    about: 'Change',
    icon,
    to,
  })
  const mayChange = account !== null && (isOperator || account.role !== 'member')
  return [
    ...(mayChange ? [action('Create key', 'plus', '/keys?create=1')] : []),
    action('Change password or theme', 'profile', '/profile'),
    ...settingsTabs
      .filter(({ by }) => by === 'all' || (by === 'owner' ? mayChange : isOperator))
      .map(({ title, tab }) => ({
        group: 'Settings',
        title,
        about: 'Settings',
        icon: 'settings' as const,
        to: `/settings?tab=${tab}`,
      })),
  ]
}

/**
 * Entries whose title contains every word, or with a word beside the title that begins with it; those whose title begins with the
 * first word come first. All pages for an empty text. `found`: entries that the server found; they match if `isCurrent`, otherwise
 * they were found for an earlier text.
 */
function matching(
  all: readonly Entry[],
  found: readonly Entry[],
  text: string,
  isCurrent: boolean,
): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/)
  const matches = ({ title, about }: Entry): boolean =>
    words.every(
      (word) =>
        title.toLowerCase().includes(word) || ` ${about.toLowerCase()}`.includes(` ${word}`),
    )
  const groups = new Map<string, Entry[]>()
  const shown = [...found.filter((entry) => isCurrent || matches(entry)), ...all.filter(matches)]
  for (const entry of shown) {
    if (text === '' && entry.group !== 'Pages' && entry.group !== 'Actions') continue
    const group = groups.get(entry.group) ?? []
    if (entry.title.toLowerCase().startsWith(words[0] ?? '')) group.unshift(entry)
    else group.push(entry)
    groups.set(entry.group, group)
  }
  const order = [
    'Keys',
    'Files',
    'Requests',
    'Networks',
    'People',
    'Pages',
    'Settings',
    'Actions',
    'Docs',
  ]
  const most = text === '' ? shown.length : groupMax
  return [...jumpsOf(text), ...order.flatMap((name) => (groups.get(name) ?? []).slice(0, most))]
}

function KeyList({ onClose }: { onClose(): void }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Ctrl K', 'Search'],
    ['/', 'Filter the list'],
    ...goKeys.flatMap(([key, path]) => {
      const page = pages.find((one) => one.path === path)
      return page === undefined ? [] : [[`g ${key}`, `Go to ${page.title}`] as const]
    }),
    ['j k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['x', 'Select the row'],
    ['Escape', 'Close'],
  ]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="facts">
        {rows.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        The profile switches single keys off: <a href={`${base}/profile`}>Profile</a>.
      </p>
      <DialogFoot onClose={onClose} />
    </Dialog>
  )
}
