// Schemas of usage, shared by the dashboard, the command line and exports.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import { dimensions, type UsageReport } from '../../../access/usage/usage-collecting.ts'
import {
  type UsagePeriod,
  type WindowName,
  windowNames,
} from '../../../access/usage/usage-window.ts'
import { Fault } from '../../../base/fault.ts'
import type { UsageFilter } from '../../../tables/usage.ts'

const windowName = z.enum(windowNames)

const span = z.enum(['minute', 'hour', 'day'])
const face = z.enum(['rpc', 'files'])
const time = z.coerce.number<number>().int().min(0).max(8_640_000_000_000_000)

const filterQuery = {
  face: face.optional(),
  network: z.string().max(64).optional(),
  method: z.string().max(128).optional(),
}

/**
 * `from` and `until` replace the window: milliseconds since 1970. The intervals that contain them count completely; `span` is the
 * length of an interval. `by`: also splits the series by this member. `face`, `network`, `method`: filters.
 */
export const reportQuery = {
  window: windowName.default('24h'),
  from: time.optional(),
  until: time.optional(),
  span: span.optional(),
  by: z.enum(dimensions).optional(),
  ...filterQuery,
}

type ReportQuery = {
  readonly window: WindowName
  readonly from?: number | undefined
  readonly until?: number | undefined
  readonly span?: z.output<typeof span> | undefined
}

/** Throws `bad_input` if only one end of a time is given. */
export function periodOf({ window, from, until, span: length }: ReportQuery): UsagePeriod {
  if (from !== undefined && until !== undefined) return { from, until, span: length }
  if (from === undefined && until === undefined) return window
  const field = from === undefined ? 'from' : 'until'
  throw new Fault('bad_input', {
    detail: `${field} is missing: from and until go together`,
    data: { field },
  })
}

type Filters = {
  readonly face?: UsageFilter['face'] | undefined
  readonly network?: string | undefined
  readonly method?: string | undefined
}

export function filterOf({ face: api, network, method }: Filters): UsageFilter {
  return { face: api ?? null, network: network ?? null, method: method ?? null }
}

/** `since` and `until`: milliseconds since 1970; the interval that contains `since` counts in full. */
export const linesQuery = {
  since: time.default(0),
  until: time.optional(),
  span: span.default('hour'),
  key: z.string().max(128).optional(),
  ...filterQuery,
}

const count = z.number().min(0)

const sumsShape = {
  requests: count,
  failed: count,
  units: count,
  bytesIn: count,
  bytesOut: count,
}

const partShape = {
  ...sumsShape,
  latency: z.object({ calls: count, p50Ms: count, p95Ms: count, p99Ms: count }).nullable(),
}

const part = z.object(partShape)

export const report = z.object({
  /** Null: any time. */
  window: windowName.nullable(),
  from: z.int(),
  until: z.int(),
  span,
  totals: part,
  series: z.array(z.object({ start: z.int(), complete: z.boolean(), ...partShape })),
  /** Accounts, or keys: `name` is the start of the key if it has no name. */
  holders: z.array(z.object({ id: z.string(), name: z.string(), ...partShape })),
  networks: z.array(z.object({ face, network: z.string(), ...partShape })),
  methods: z.array(z.object({ face, method: z.string(), ...partShape })),
  statuses: z.array(z.object({ status: z.int(), ...sumsShape })),
  reasons: z.array(z.object({ outcome: z.string(), reason: z.string(), ...sumsShape })),
  table: z.array(
    z.object({
      face,
      network: z.string(),
      method: z.string(),
      outcome: z.string(),
      status: z.int(),
      ...sumsShape,
    }),
  ),
  /** Answers from chain data by verification level (x-cairn-verified), most first; empty for a single method. */
  verified: z.array(z.object({ network: z.string(), level: z.string(), requests: count })),
  split: z
    .object({
      by: z.enum(dimensions),
      parts: z.array(
        z.object({ name: z.string(), requests: z.array(count), units: z.array(count) }),
      ),
    })
    .nullable(),
})

/** `logicalBytes`: sum over all pins, shared blocks counted for each; `physicalBytes`: each block once. */
export const storage = z.object({
  pins: count,
  blocks: count,
  logicalBytes: count,
  physicalBytes: count,
})

export const line = z.object({
  start: z.int(),
  accountId: z.string(),
  keyId: z.string(),
  face,
  network: z.string(),
  method: z.string(),
  outcome: z.string(),
  reason: z.string(),
  status: z.int(),
  requests: count,
  units: count,
  bytesIn: count,
  bytesOut: count,
})

export const second = z.object({
  time: z.int(),
  totals: part,
  parts: z
    .array(
      z.object({
        keyId: z.string(),
        face,
        network: z.string(),
        method: z.string(),
        outcome: z.string(),
        reason: z.string(),
        status: z.int(),
        ...sumsShape,
      }),
    )
    .readonly(),
})

/** Adds the names of accounts and keys to the report. */
export function withNames(
  report: UsageReport,
  nameOf: (id: string) => string,
): z.output<typeof reportSchema> {
  const holders = report.holders.map((holder) => ({ ...holder, name: nameOf(holder.id) }))
  return { ...report, holders } as z.output<typeof reportSchema>
}

const reportSchema = report
