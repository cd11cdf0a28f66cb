// Usage of each key of an account in the last 24 hours and today, for lists of keys.
// Tested by test/admin/admin-usage.test.ts
import type { Clock } from '../../base/clock.ts'
import {
  findLastUsageByHolder,
  spans,
  splitUsageByHolder,
  sumUsageByHolder,
} from '../../tables/usage.ts'
import type { UsageRead } from './usage.ts'
import { dayMs, hourMs } from './usage-row.ts'
import { startOf } from './usage-window.ts'

export type KeyUsage = {
  readonly id: string
  /** In the last 24 hours, starting at a full hour. */
  readonly requests: number
  /** Those that failed. */
  readonly failed: number
  /** In the current UTC day. */
  readonly unitsToday: number
  /** Milliseconds since 1970: exact to the minute within the last hour, else to the hour; null: unused in 24 hours. */
  readonly lastUsed: number | null
  /** Calls per hour, current hour last; null: the account has too many keys. */
  readonly hours: readonly number[] | null
}

type KeyUsages = { list(accountId: string): Promise<readonly KeyUsage[]> }

const hoursShown = 25
/** Maximum number of used keys for which an account gets `hours`. */
const seriesMax = 200

/** `read`: from Usage; if usage is not counted, a read of the database only. */
export function createKeyUsages(parts: {
  readonly clock: Clock
  readonly read: UsageRead
}): KeyUsages {
  const { clock, read } = parts
  return {
    async list(accountId) {
      const now = clock.now()
      const today = startOf(spans.day, now)
      const from = startOf(spans.hour, now) - (hoursShown - 1) * hourMs
      const hourAgo = now - hourMs
      const group = { accountId }
      const hourly = { span: spans.hour, from, until: null }
      const { rows, unwritten } = await read(
        [
          sumUsageByHolder(group, hourly),
          sumUsageByHolder(group, { span: spans.day, from: today, until: null }),
          findLastUsageByHolder(group, { span: spans.hour, from }),
          findLastUsageByHolder(group, { span: spans.minute, from: hourAgo }),
        ],
        (row) => row.accountId === accountId && row.minute >= Math.min(from, today),
      )
      const found = new Map<string, Sums>()
      const of = (id: string): Sums => {
        const known = found.get(id) ?? empty()
        found.set(id, known)
        return known
      }
      for (const { holder, requests, failed } of rows[0]) add(of(holder), requests, failed)
      for (const { holder, units } of rows[1]) of(holder).unitsToday += units
      for (const { holder, start } of [...rows[2], ...rows[3]]) use(of(holder), start)
      for (const row of unwritten) {
        const sums = of(row.keyId)
        add(sums, row.requests, row.outcome === 'ok' ? 0 : row.requests)
        if (row.minute >= today && row.minute < today + dayMs) sums.unitsToday += row.units
        use(sums, row.minute)
      }
      if (found.size <= seriesMax) await addSeries()
      return [...found].map(([id, sums]) => ({ id, ...sums }))

      async function addSeries(): Promise<void> {
        const split = await read([splitUsageByHolder(group, hourly)], () => false)
        for (const sums of found.values()) sums.hours = Array.from({ length: hoursShown }, () => 0)
        const count = (id: string, start: number, requests: number): void => {
          const at = (startOf(spans.hour, start) - from) / hourMs
          const hours = found.get(id)?.hours
          if (hours?.[at] !== undefined) hours[at] += requests
        }
        for (const { holder, start, requests } of split.rows[0]) count(holder, start, requests)
        for (const { keyId, minute, requests } of unwritten) count(keyId, minute, requests)
      }
    },
  }
}

type Sums = {
  requests: number
  failed: number
  unitsToday: number
  lastUsed: number | null
  hours: number[] | null
}

function empty(): Sums {
  return { requests: 0, failed: 0, unitsToday: 0, lastUsed: null, hours: null }
}

function add(sums: Sums, requests: number, failed: number): void {
  sums.requests += requests
  sums.failed += failed
}

function use(sums: Sums, start: number): void {
  sums.lastUsed = Math.max(sums.lastUsed ?? 0, start)
}
