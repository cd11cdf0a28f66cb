// The requests of a key: those that are kept, and those that come while one looks.
// Tested by test/browser/inspector.test.ts
import { useCallback, useEffect, useState } from 'preact/hooks'
import { type AdminReply, linkOf } from '../../../src/gateway/admin/client.ts'
import { type ApiError, call } from '../../app/api.ts'
import type { KeyPlace } from '../../app/as-key.ts'
import { useLoaded } from '../../app/use-loaded.ts'
import type { RequestFilter } from './filter-fields.tsx'

type Listed = AdminReply<'GET /accounts/{account}/keys/{key}/requests'>
export type Row = Listed['requests'][number]
export type InspectSwitches = Omit<Listed, 'requests'>

export type Requests = {
  /** Null: not known yet. */
  readonly switches: InspectSwitches | null
  /** The newest first. */
  readonly requests: readonly Row[]
  readonly error: ApiError | null
  /** New ones come by themselves. */
  readonly isLive: boolean
  again(): void
  clear(): void
}

const path = '/accounts/{account}/keys/{key}/requests'
/** As many as the server keeps of a key. */
const shownMax = 200
/** After the last key that was pressed. */
const typingMs = 250

export function useRequests(place: KeyPlace, filter: RequestFilter, paused: boolean): Requests {
  const asked = useSettled(filter)
  const query = {
    account: place.account,
    key: place.key,
    ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== '')),
  }
  const deps = [place.account, place.key, ...Object.values(asked)]
  const [came, setCame] = useState<readonly Row[]>([])
  const [isLive, setLive] = useState(false)
  const loaded = useLoaded((signal) => call(`GET ${path}`, query, signal), [...deps, paused])
  const { value, error, again } = loaded
  const inspect = value?.inspect === true
  useEffect(() => setCame([]), [...deps, paused])
  useEffect(() => {
    if (paused || !inspect) return undefined
    const source = new EventSource(linkOf(`GET ${path}/live`, query))
    source.onopen = () => {
      setLive(true)
      // What came after the list, or while the view was broken off, is told by nobody else.
      again()
    }
    source.onerror = () => setLive(false)
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const row = JSON.parse(data) as Row
      setCame((were) => [row, ...were].slice(0, shownMax))
    }
    return () => {
      source.close()
      setLive(false)
    }
  }, [...deps, paused, inspect])
  const clear = useCallback(() => {
    void call(`DELETE ${path}`, {
      account: place.account,
      key: place.key,
    }).then(() => {
      setCame([])
      again()
    })
  }, [place.account, place.key])
  return {
    switches: value ?? null,
    requests: joined(came, value?.requests ?? []),
    error,
    isLive,
    again,
    clear,
  }
}

/** A request that came while the list was asked for is in both. */
function joined(came: readonly Row[], listed: readonly Row[]): readonly Row[] {
  const byId = new Map([...came, ...listed].map((row) => [row.id, row]))
  return [...byId.values()].toSorted((a, b) => b.id - a.id).slice(0, shownMax)
}

/** As it is once nobody types any more. */
function useSettled(filter: RequestFilter): RequestFilter {
  const [settled, setSettled] = useState(filter)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), typingMs)
    return () => clearTimeout(timer)
  }, Object.values(filter))
  return settled
}
