// Search over pages, keys, files, people, actions and documentation, and the list of keyboard shortcuts. For a pasted CID, address,
// transaction hash or block number, offers the page for it.
// Tested by test/browser/frame.test.ts
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { call } from '../app/api.ts'
import { keyName } from '../app/key-name.ts'
import { pages } from '../app/pages.ts'
import { base, usePlace } from '../app/router.tsx'
import { useSession } from '../app/session.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { goKeys } from '../app/use-shortcuts.ts'
import { Dialog, DialogFoot } from './dialog.tsx'
import { Icon, type IconName } from './icons.tsx'
import { mayOpen } from './shell.tsx'
import '../style/search.css'

export type LayerName = 'search' | 'keys'
export type LayerProps = { readonly name: LayerName; onClose(): void }

type Entry = {
  readonly group: string
  readonly title: string
  readonly about: string
  readonly icon: IconName
  /** Path below the dashboard, or a path of this server that starts with `/docs/`. */
  readonly to: string
}

/** Maximum number of entries per group. */
const groupMax = 6
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
    async (signal) => (session.isOperator ? await peopleOf(signal).catch(() => []) : []),
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
        <span>Paste a CID, an address or a block to jump to it</span>
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
  ]
}

/** Keys and files of the account that match; none for an empty text. Skips a list that cannot be read. */
async function foundEntries(
  account: string | null,
  search: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  if (account === null || search === '') return []
  const none = (): readonly Entry[] => []
  const parts = await Promise.all([
    keysOf(account, search, signal).catch(none),
    filesOf(account, search, signal).catch(none),
  ])
  return parts.flat()
}

async function keysOf(
  account: string,
  search: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const query = { account, search, state: 'active', limit: groupMax } as const
  const { keys } = await call('GET /accounts/{account}/keys', query, signal)
  return keys.map((key) => ({
    group: 'Keys',
    title: keyName(key),
    about: `${key.prefix}…`,
    icon: 'keys' as const,
    to: `/keys/${key.id}`,
  }))
}

async function filesOf(
  account: string,
  search: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const query = { account, search, limit: groupMax }
  const { pins } = await call('GET /accounts/{account}/files', query, signal)
  return pins.map(({ cid, name }) => ({
    group: 'Files',
    title: name === '' ? 'Untitled' : name,
    about: `${cid.slice(0, 9)}…${cid.slice(-7)}`,
    icon: 'file' as const,
    to: `/files/${cid}`,
  }))
}

async function peopleOf(signal: AbortSignal): Promise<readonly Entry[]> {
  const { people } = await call('GET /people', {}, signal)
  return people.map(({ name, email }) => ({
    group: 'People',
    title: name === '' ? email : name,
    about: email,
    icon: 'people' as const,
    to: '/people',
  }))
}

/** The pages of the documentation, from the list that the server serves. */
async function readDocs(signal: AbortSignal): Promise<readonly Entry[]> {
  const response = await fetch('/llms.txt', { signal })
  if (!response.ok) return []
  const lines = (await response.text()).matchAll(
    /^- \[(.+?)\]\((?:https?:\/\/[^/]+)?(\/docs\/.+?)(?:\.md)?\)/gm,
  )
  return [...lines].map(([, title = '', to = '']) => ({
    group: 'Docs',
    title,
    about: 'Docs',
    icon: 'docs' as const,
    to,
  }))
}

/** Entries for a pasted value that has a page. */
function jumpsOf(text: string): readonly Entry[] {
  const jump = (title: string, to: string): Entry => ({
    group: 'Go to',
    title,
    about: 'Ask and check',
    icon: 'proof',
    to,
  })
  const rpcEntry = (
    title: string,
    method: string,
    params: readonly unknown[],
  ): readonly Entry[] => [
    jump(title, `/proof?${new URLSearchParams({ method, params: JSON.stringify(params) })}`),
  ]
  if (/^(Qm[1-9A-HJ-NP-Za-km-z]{44}|ba[a-z2-7]{20,})/.test(text)) {
    return [jump('Proof of this CID', `/proof?${new URLSearchParams({ cid: text })}`)]
  }
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) {
    return rpcEntry('Balance of this address', 'eth_getBalance', [text, 'latest'])
  }
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) {
    return rpcEntry('Receipt of this transaction', 'eth_getTransactionReceipt', [text])
  }
  if (!/^\d{1,12}$/.test(text)) return []
  return rpcEntry(`Block ${text}`, 'eth_getBlockByNumber', [
    `0x${Number(text).toString(16)}`,
    false,
  ])
}

/**
 * Entries whose title contains every word, those that start with it first; all pages for an empty text. `found`: entries that the
 * server found; they match if `isCurrent`, otherwise they were found for an earlier text.
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
      (word) => title.toLowerCase().includes(word) || about.toLowerCase().startsWith(word),
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
  const order = ['Keys', 'Files', 'People', 'Pages', 'Actions', 'Docs']
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
