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

export function SearchLayer({ name, onClose }: LayerProps) {
  return name === 'keys' ? <KeyList onClose={onClose} /> : <Search onClose={onClose} />
}

function Search({ onClose }: { onClose(): void }) {
  const { go } = usePlace()
  const session = useSession()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const local = useMemo(
    () => pages.filter((page) => page.nav !== undefined && mayOpen(page, session)).map(entryOf),
    [session],
  )
  const account = session.account?.id ?? null
  const stored = useLoaded(
    (signal) => entriesOf(account, session.isOperator, signal),
    [account, session.isOperator],
  )
  const docs = useLoaded(readDocs, [])
  const all = [...local, ...actionsFor(session), ...(stored.value ?? []), ...(docs.value ?? [])]
  const found = matching(all, text.trim())
  const chosen = Math.min(at, Math.max(0, found.length - 1))
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    onClose()
    if (entry.to.startsWith('/docs/')) location.assign(entry.to)
    else go(entry.to)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') return open(found[chosen])
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

/** Keys and files of the account; people, for operators. Skips a list that cannot be read. */
async function entriesOf(
  account: string | null,
  isOperator: boolean,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const none = (): readonly Entry[] => []
  const parts = await Promise.all([
    account === null ? [] : keysOf(account, signal).catch(none),
    account === null ? [] : filesOf(account, signal).catch(none),
    isOperator ? peopleOf(signal).catch(none) : [],
  ])
  return parts.flat()
}

async function keysOf(account: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const { keys } = await call('GET /accounts/{account}/keys', { account }, signal)
  return keys
    .filter(({ revoked }) => revoked === null)
    .map((key) => ({
      group: 'Keys',
      title: keyName(key),
      about: `${key.prefix}…`,
      icon: 'keys' as const,
      to: `/keys/${key.id}`,
    }))
}

async function filesOf(account: string, signal: AbortSignal): Promise<readonly Entry[]> {
  const { pins } = await call('GET /accounts/{account}/files', { account }, signal)
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

/** Entries whose title contains every word, those that start with it first; all pages for an empty text. */
function matching(all: readonly Entry[], text: string): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/)
  const groups = new Map<string, Entry[]>()
  for (const entry of all) {
    if (text === '' && entry.group !== 'Pages' && entry.group !== 'Actions') continue
    const title = entry.title.toLowerCase()
    if (!words.every((word) => title.includes(word) || entry.about.toLowerCase().startsWith(word)))
      continue
    const group = groups.get(entry.group) ?? []
    if (title.startsWith(words[0] ?? '')) group.unshift(entry)
    else group.push(entry)
    groups.set(entry.group, group)
  }
  const order = ['Keys', 'Files', 'People', 'Pages', 'Actions', 'Docs']
  const most = text === '' ? all.length : groupMax
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
