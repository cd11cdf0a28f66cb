// Schemas of usage, shared by the dashboard, the command line and exports.
// Tested by test/admin/admin-usage.test.ts
import { z } from 'zod'
import { dimensions, type UsageReport } from '../../../access/usage/usage-collecting.ts'
import { windowNames } from '../../../access/usage/usage-window.ts'

const windowName = z.enum(windowNames)

/** `by`: cuts the series by that, too. */
export const reportQuery = {
  window: windowName.default('24h'),
  by: z.enum(dimensions).optional(),
}

/** `since`: milliseconds since 1970; the interval that contains it counts in full. */
export const linesQuery = {
  since: z.coerce.number<number>().int().min(0).default(0),
  span: z.enum(['minute', 'hour', 'day']).default('hour'),
  key: z.string().max(128).optional(),
}

const count = z.number().min(0)
const face = z.enum(['rpc', 'files'])

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
  window: windowName,
  from: z.int(),
  until: z.int(),
  span: z.enum(['minute', 'hour', 'day']),
  totals: part,
  series: z.array(z.object({ start: z.int(), complete: z.boolean(), ...partShape })),
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
  /** Answers from chain data by verification level (x-cairn-verified), the most first. */
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

/** The report with the names of those it consists of. */
export function withNames(
  report: UsageReport,
  nameOf: (id: string) => string,
): z.output<typeof reportSchema> {
  const holders = report.holders.map((holder) => ({ ...holder, name: nameOf(holder.id) }))
  return { ...report, holders } as z.output<typeof reportSchema>
}

const reportSchema = report
