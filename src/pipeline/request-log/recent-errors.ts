// The last errors of the server: requests that failed for a reason on this side, similar ones as one entry with a count. In
// memory only.
// Tested by src/pipeline/request-log/recent-errors.test.ts
import type { FaultCode } from '../../base/fault.ts'
import { type FinishedRequest, isServerError } from './finished-request.ts'

type RecentError = {
  readonly api: FinishedRequest['api']
  /** Null: the API has none, or it is not known. */
  readonly network: string | null
  /** Empty: not read. */
  readonly method: string
  readonly code: FaultCode
  /** HTTP status of the last one; null over a WebSocket. */
  readonly status: number | null
  /** Of the last one, as in the log. */
  readonly requestId: string
  readonly count: number
  /** Milliseconds since 1970 UTC. */
  readonly first: number
  readonly last: number
}

export type RecentErrors = {
  /** Adds the calls of `request` that failed for a reason of the server. */
  add(request: FinishedRequest): void
  /** The newest first. */
  list(): readonly RecentError[]
}

/** Entries; the one whose last error is the oldest is dropped for a new one. */
export const recentErrorsMax = 200

export function createRecentErrors({ now }: { readonly now: () => number }): RecentErrors {
  // The oldest first.
  const entries = new Map<string, RecentError>()
  return {
    add({ requestId, api, network, status, calls }) {
      for (const { method, fault } of calls) {
        if (!isServerError(fault)) continue
        const { code } = fault
        const name = [api, network, method, code].join(' ')
        const time = now()
        const { count = 0, first = time } = entries.get(name) ?? {}
        entries.delete(name)
        const entry = { api, network, method, code, status, requestId }
        entries.set(name, { ...entry, count: count + 1, first, last: time })
        if (entries.size > recentErrorsMax) {
          const [oldest] = entries.keys()
          entries.delete(oldest as string)
        }
      }
    },
    list: () => [...entries.values()].toReversed(),
  }
}
