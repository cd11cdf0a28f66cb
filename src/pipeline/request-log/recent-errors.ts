// The last errors that the server caused; similar ones are one entry with a count. In memory only.
// Tested by src/pipeline/request-log/recent-errors.test.ts
import type { FaultCode } from '../../base/fault.ts'
import { type FinishedRequest, isServerError } from './finished-request.ts'

type RecentError = {
  readonly api: FinishedRequest['api']
  /** Null: the API has no networks, or the network is not known. */
  readonly network: string | null
  /** Empty: the method was not read. */
  readonly method: string
  readonly code: FaultCode
  /** HTTP status of the last occurrence; null over a WebSocket. */
  readonly status: number | null
  /** Request ID of the last occurrence, as in the log. */
  readonly requestId: string
  readonly count: number
  /** Milliseconds since 1970 UTC. */
  readonly first: number
  readonly last: number
}

export type RecentErrors = {
  /** Adds the calls of `request` whose fault the server caused. */
  add(request: FinishedRequest): void
  /** Newest first. */
  list(): readonly RecentError[]
}

/** A full list drops the entry whose last error is the oldest. */
export const recentErrorsMax = 200

export function createRecentErrors({ now }: { readonly now: () => number }): RecentErrors {
  // In the order of the last error, oldest first.
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
