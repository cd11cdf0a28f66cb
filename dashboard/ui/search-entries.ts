// Entries of the search that the server finds: keys, files, recorded requests, networks, people, documentation; and the pages for a
// pasted value.
// Tested by test/browser/frame.test.ts, test/browser/full.test.ts
import { call } from '../app/api.ts'
import { formatTime } from '../app/format.ts'
import { keyName } from '../app/key-name.ts'
import type { IconName } from './icons.tsx'

export type Entry = {
  readonly group: string
  readonly title: string
  readonly about: string
  readonly icon: IconName
  /** Path below the dashboard, or a path of this server that starts with `/docs/`. */
  readonly to: string
}

/** Maximum number of entries per group. */
export const groupMax = 6

/** Keys, files and recorded requests of the account that match; none for an empty text. Skips a list that cannot be read. */
export async function foundEntries(
  account: string | null,
  search: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  if (account === null || search === '') return []
  const none = (): readonly Entry[] => []
  const parts = await Promise.all([
    keysOf(account, search, signal).catch(none),
    filesOf(account, search, signal).catch(none),
    requestsOf(account, search, signal).catch(none),
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

/** Cairn's own request IDs are longer than most names. */
const requestIdForm = /^[A-Za-z0-9_-]{12,64}$/

async function requestsOf(
  account: string,
  requestId: string,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  if (!requestIdForm.test(requestId)) return []
  const { requests } = await call(
    'GET /accounts/{account}/requests',
    { account, requestId },
    signal,
  )
  return requests.map(({ key, id, method, time }) => ({
    group: 'Requests',
    title: method === '' ? 'Refused request' : method,
    about: formatTime(time),
    icon: 'inspector' as const,
    to: `/requests/${key}/${id}`,
  }))
}

/** Networks and people. Skips a list that cannot be read. */
export async function serverEntries(signal: AbortSignal): Promise<readonly Entry[]> {
  const none = (): readonly Entry[] => []
  const parts = await Promise.all([networksOf(signal).catch(none), peopleOf(signal).catch(none)])
  return parts.flat()
}

async function networksOf(signal: AbortSignal): Promise<readonly Entry[]> {
  const { networks } = await call('GET /status', {}, signal)
  return networks.map(({ name, chainId }) => ({
    group: 'Networks',
    title: name,
    about: `chain ${chainId}`,
    icon: 'networks' as const,
    to: '/networks',
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
export async function readDocs(signal: AbortSignal): Promise<readonly Entry[]> {
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
export function jumpsOf(text: string): readonly Entry[] {
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
