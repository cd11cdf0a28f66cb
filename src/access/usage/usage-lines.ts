// Usage rows for exports: one line for each interval, key, network, method and outcome.
// Tested by src/access/usage/usage-lines.test.ts
import { Fault } from '../../base/fault.ts'
import {
  everyCall,
  listUsageOfKeys,
  spans,
  type UsageFilter,
  type UsageLineRow,
} from '../../tables/usage.ts'
import { isIn, isOf, type UsageScope } from './usage-collecting.ts'
import type { FlushedRow } from './usage-row.ts'
import { startOf, type UsageInterval } from './usage-window.ts'
import type { UsageRead } from './usage.ts'

export type UsageLine = {
  /** Start of the interval, milliseconds since 1970. */
  readonly start: number
  readonly accountId: string
  readonly keyId: string
  readonly face: 'rpc' | 'files'
  /** Empty for the IPFS API. */
  readonly network: string
  readonly method: string
  /** `ok` or a Fault code. */
  readonly outcome: string
  /** The setting that refused; else empty. */
  readonly reason: string
  readonly status: number
  readonly requests: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

export type UsageLines = {
  /**
   * From the interval that contains `since` to that before `until` (null: now), oldest first, including usage in memory, for the
   * calls that match `filter` (absent: all). Throws `bad_input` beyond `linesMax` lines.
   */
  list(
    scope: UsageScope,
    span: UsageInterval,
    since: number,
    until?: number | null,
    filter?: UsageFilter,
  ): Promise<readonly UsageLine[]>
}

/** The rows are sorted on the request thread. */
const linesMax = 50_000

export function createUsageLines(parts: {
  readonly read: UsageRead
  readonly linesMax?: number
}): UsageLines {
  const { read } = parts
  const most = parts.linesMax ?? linesMax

  return {
    async list(scope, span, since, until = null, filter = everyCall) {
      const from = startOf(spans[span], since)
      const range = { span: spans[span], from, until }
      const { rows, unwritten } = await read(
        [listUsageOfKeys(scope, { ...range, limit: most + 1 }, filter)],
        (row) =>
          row.minute >= from &&
          (until === null || startOf(spans[span], row.minute) < until) &&
          isOf(scope, row) &&
          isIn(filter, row),
      )
      const lines = new Map(
        rows[0].map((row) => {
          const line = toLine(row)
          return [nameOf(line), line]
        }),
      )
      for (const row of unwritten) add(lines, row, startOf(spans[span], row.minute))
      if (lines.size > most) {
        const detail = `more than ${most} lines: choose a shorter time or a single key`
        throw new Fault('bad_input', { detail })
      }
      return [...lines.values()].toSorted(
        (a, b) => a.start - b.start || (nameOf(a) < nameOf(b) ? -1 : 1),
      )
    },
  }
}

function toLine({ account_id, key_id, bytes_in, bytes_out, ...row }: UsageLineRow): UsageLine {
  return { ...row, accountId: account_id, keyId: key_id, bytesIn: bytes_in, bytesOut: bytes_out }
}

function add(lines: Map<string, UsageLine>, row: FlushedRow, start: number): void {
  const { accountId, keyId, face, network, method, outcome, reason, status } = row
  const named = { start, accountId, keyId, face, network, method, outcome, reason, status }
  const name = nameOf(named)
  const known = lines.get(name)
  lines.set(name, {
    ...named,
    requests: (known?.requests ?? 0) + row.requests,
    units: (known?.units ?? 0) + row.units,
    bytesIn: (known?.bytesIn ?? 0) + row.bytesIn,
    bytesOut: (known?.bytesOut ?? 0) + row.bytesOut,
  })
}

function nameOf(
  line: Omit<UsageLine, 'requests' | 'units' | 'bytesIn' | 'bytesOut' | 'accountId'>,
): string {
  const { start, keyId, face, network, method, outcome, reason, status } = line
  return `${start}\n${keyId}\n${face}\n${network}\n${method}\n${outcome}\n${reason}\n${status}`
}
