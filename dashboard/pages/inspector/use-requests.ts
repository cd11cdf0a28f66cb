// The recorded requests of a key, and new ones while the page is open.
// Tested by test/browser/inspector.test.ts
import { useCallback, useEffect, useState } from 'preact/hooks'
import { type AdminReply, linkOf } from '../../../src/admin/client.ts'
import { type ApiError, call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import { useVisible } from '../../app/use-visible.ts'
import type { RequestFilter } from './filter-fields.tsx'

type Listed = AdminReply<'GET /accounts/{account}/keys/{key}/requests'>
export type Row = Listed['requests'][number]
export type InspectSwitches = Omit<Listed, 'requests'>

export type Requests = {
  /** Null: not loaded yet. */
  readonly switches: InspectSwitches | null
  /** Newest first. */
  readonly requests: readonly Row[]
  readonly error: ApiError | null
  /** New requests arrive live. */
  readonly isLive: boolean
  again(): void
  clear(): void
}

const path = '/accounts/{account}/keys/{key}/requests'
/** The server records the same number of requests per key. */
const shownMax = 200
/** Delay after the last key press. */
const typingMs = 250

export function useRequests(place: KeyPlace, filter: RequestFilter, paused: boolean): Requests {
  const settledFilter = useSettled(filter)
  const query = {
    account: place.account,
    key: place.key,
    ...Object.fromEntries(
      Object.entries(settledFilter)
        .map(([name, value]) => [name, value.trim()] as const)
        .filter(([, value]) => value !== ''),
    ),
  }
  const deps = [place.account, place.key, ...Object.values(settledFilter)]
  const [received, setReceived] = useState<readonly Row[]>([])
  const [isLive, setLive] = useState(false)
  const isVisible = useVisible()
  const loaded = useLoaded((signal) => call(`GET ${path}`, query, signal), [...deps, paused])
  const { value, error, again } = loaded
  const inspect = value?.inspect === true
  useEffect(() => setReceived([]), [...deps, paused])
  useEffect(() => {
    if (paused || !inspect || !isVisible) return undefined
    const source = new EventSource(linkOf(`GET ${path}/live`, query))
    source.onopen = () => {
      setLive(true)
      // Reload the list: it contains the requests between its first load and this connection.
      again()
    }
    source.onerror = () => setLive(false)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const row = JSON.parse(data) as Row
      setReceived((were) => [row, ...were].slice(0, shownMax))
    }
    return () => {
      source.close()
      setLive(false)
    }
  }, [...deps, paused, inspect, isVisible])
  const clear = useCallback(() => {
    void call(`DELETE ${path}`, {
      account: place.account,
      key: place.key,
    }).then(() => {
      setReceived([])
      again()
    })
  }, [place.account, place.key])
  return {
    switches: value ?? null,
    requests: joined(received, value?.requests ?? []),
    error,
    isLive,
    again,
    clear,
  }
}

/** Merges both lists; a request may be in both. */
function joined(received: readonly Row[], listed: readonly Row[]): readonly Row[] {
  const byId = new Map([...received, ...listed].map((row) => [row.id, row]))
  return [...byId.values()].toSorted((a, b) => b.id - a.id).slice(0, shownMax)
}

/** The filter, `typingMs` after its last change. */
function useSettled(filter: RequestFilter): RequestFilter {
  const [settled, setSettled] = useState(filter)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), typingMs)
    return () => clearTimeout(timer)
  }, Object.values(filter))
  return settled
}
