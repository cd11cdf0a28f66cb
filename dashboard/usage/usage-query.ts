// The state of the Usage page, as in its URL and as input for the admin API. Pure.
// Tested by dashboard/usage/usage-query.test.ts
import type { AdminInput } from '../../src/admin/client.ts'
import type { Zone } from '../ui/chart-scale.ts'

export const windows = [
  { value: '15m', title: '15 min' },
  { value: '1h', title: '1 h' },
  { value: '24h', title: '24 h' },
  { value: '7d', title: '7 d' },
  { value: '30d', title: '30 d' },
] as const

type Window = (typeof windows)[number]['value']

export type UsageQuery = {
  readonly period: Window | { readonly from: number; readonly until: number }
  /** All accounts; else the selected account. */
  readonly isOfAll: boolean
  /** Empty: all. */
  readonly keyId: string
  readonly network: string
  readonly method: string
  /** Only calls of the IPFS API. */
  readonly isIpfs: boolean
  readonly isCompared: boolean
  readonly zone: Zone
}

export function readUsageQuery(query: URLSearchParams): UsageQuery {
  const window = windows.find(({ value }) => value === query.get('window'))?.value ?? '24h'
  const [from, until] = [timeOf(query.get('from')), timeOf(query.get('until'))]
  const isIpfs = query.get('face') === 'files'
  return {
    period: from === null || until === null ? window : { from, until },
    isOfAll: query.get('of') === 'all',
    keyId: query.get('key') ?? '',
    network: isIpfs ? '' : (query.get('network') ?? ''),
    method: query.get('method') ?? '',
    isIpfs,
    isCompared: query.get('compare') === 'before',
    zone: query.get('zone') === 'local' ? 'local' : 'utc',
  }
}

/** Path and query below the dashboard. */
export function usageAddress(shown: UsageQuery): string {
  const { period, isOfAll, keyId, isCompared, zone } = shown
  const members = {
    ...(typeof period === 'string' ? { window: period } : textsOf(period)),
    ...(isOfAll ? { of: 'all' } : {}),
    ...(keyId === '' ? {} : { key: keyId }),
    ...filterOf(shown),
    ...(isCompared ? { compare: 'before' } : {}),
    ...(zone === 'local' ? { zone } : {}),
  }
  return `/usage?${new URLSearchParams(members)}`
}

/** Empty: all calls. */
export function filterOf({
  network,
  method,
  isIpfs,
}: Pick<UsageQuery, 'network' | 'method' | 'isIpfs'>): {
  readonly face?: 'files'
  readonly network?: string
  readonly method?: string
} {
  return {
    ...(isIpfs ? { face: 'files' } : network === '' ? {} : { network }),
    ...(method === '' ? {} : { method }),
  }
}

export function periodOf({ period }: Pick<UsageQuery, 'period'>): AdminInput<'GET /usage'> {
  return typeof period === 'string' ? { window: period } : period
}

function textsOf({ from, until }: { readonly from: number; readonly until: number }) {
  return { from: String(from), until: String(until) }
}

function timeOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}
