// A page of the account's pins, filtered and sorted by the URL, and other data for the Files page.
// Tested by test/browser/files.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { type FileType, fileTypeNames } from '../../src/base/file-types.ts'
import { call } from '../app/api.ts'
import { usePlace } from '../app/router.tsx'
import { useAccount } from '../app/session.tsx'
import { type Loaded, useLoaded } from '../app/use-loaded.ts'
import { useTyped } from '../app/use-typed.ts'
import type { Reading } from './gateway-links.ts'

export const pageRows = 50

/** The first is the default. */
export const sorts = [
  { value: '-created', title: 'newest first' },
  { value: 'created', title: 'oldest first' },
  { value: 'name', title: 'name, A to Z' },
  { value: '-name', title: 'name, Z to A' },
  { value: '-size', title: 'largest first' },
  { value: 'size', title: 'smallest first' },
] as const

export type Sort = (typeof sorts)[number]['value']

const typeTitles: Readonly<Record<FileType, string>> = {
  image: 'images',
  video: 'video',
  audio: 'audio',
  document: 'documents',
  data: 'data and code',
  archive: 'archives',
  other: 'folders and others',
}

/** Empty: all. */
export const types: readonly { readonly value: FileType | ''; readonly title: string }[] = [
  { value: '', title: 'all' },
  ...fileTypeNames.map((value) => ({ value, title: typeTitles[value] })),
]

/** Empty: all. By the announcement of the root on the IPFS network. */
export const announcements = [
  { value: '', title: 'any state' },
  { value: 'announced', title: 'announced' },
  { value: 'waiting', title: 'announcing' },
  { value: 'none', title: 'not announced' },
] as const

type Announcement = (typeof announcements)[number]['value']

type Filter = {
  readonly search: string
  readonly type: FileType | ''
  readonly announcement: Announcement
  readonly sort: Sort
}

type Files = {
  readonly filter: Filter
  /** Also updates the URL. */
  setFilter(change: Partial<Filter>): void
  /** Shows all pins. */
  clear(): void
  /** As typed; applied as the search after a pause. */
  readonly text: string
  setText(text: string): void
  readonly files: Loaded<AdminReply<'GET /accounts/{account}/files'>>
  /** Number of previous pages. */
  readonly before: number
  /** Null: there is no previous page. */
  readonly toPrevious: (() => void) | null
  readonly toNext: (() => void) | null
}

export function useFiles(): Files {
  const { id: account } = useAccount()
  const { query, go } = usePlace()
  const filter: Filter = {
    search: (query.get('q') ?? '').slice(0, 200),
    type: types.find(({ value }) => value === query.get('type'))?.value ?? '',
    announcement:
      announcements.find(({ value }) => value === query.get('network'))?.value ??
      announcements[0].value,
    sort: sorts.find(({ value }) => value === query.get('sort'))?.value ?? sorts[0].value,
  }
  const { search, type, announcement, sort } = filter
  const shown = `${account} ${sort} ${type} ${announcement} ${search}`
  const [pages, setPages] = useState<{ readonly of: string; readonly from: readonly string[] }>({
    of: shown,
    from: [],
  })
  // Positions in another list are not valid in this one.
  const from = pages.of === shown ? pages.from : []
  const setFilter = (change: Partial<Filter>): void => {
    const next = { ...filter, ...change }
    const sent = new URLSearchParams({
      ...(next.search === '' ? {} : { q: next.search }),
      ...(next.type === '' ? {} : { type: next.type }),
      ...(next.announcement === '' ? {} : { network: next.announcement }),
      ...(next.sort === sorts[0].value ? {} : { sort: next.sort }),
    })
    go(sent.size === 0 ? '/files' : `/files?${sent}`, { replace: true })
  }
  const [text, setText] = useTyped(search, (typed) => setFilter({ search: typed }))
  const start = from.at(-1)
  const files = useLoaded(
    (signal) =>
      call(
        'GET /accounts/{account}/files',
        {
          account,
          limit: pageRows,
          sort: sort.replace('-', '') as 'created' | 'name' | 'size',
          order: sort.startsWith('-') ? 'desc' : 'asc',
          ...(type === '' ? {} : { type }),
          ...(announcement === '' ? {} : { announcement }),
          ...(search === '' ? {} : { search }),
          ...(start === undefined ? {} : { from: start }),
        },
        signal,
      ),
    [account, start, search, type, announcement, sort],
  )
  const next = files.value?.next ?? null
  return {
    filter,
    setFilter,
    clear() {
      setText('')
      setFilter({ search: '', type: '', announcement: '' })
    },
    text,
    setText,
    files,
    before: from.length,
    toPrevious: from.length === 0 ? null : () => setPages({ of: shown, from: from.slice(0, -1) }),
    toNext: next === null ? null : () => setPages({ of: shown, from: [...from, next] }),
  }
}

/** Other data for the page. */
export function useAbout() {
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
