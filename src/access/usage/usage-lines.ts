// Usage rows for exports: one line for each interval, key, network, method and outcome.
// Tested by src/access/usage/usage-lines.test.ts
import { Fault } from '../../base/fault.ts'
import type { Database } from '../../db/sqlite.ts'
import { isOf, type UsageScope } from './usage-collecting.ts'
import type { FlushedRow } from './usage-row.ts'
import { type UsageInterval, spans, startOf } from './usage-statements.ts'
import type { Usage } from './usage.ts'

export type UsageLine = {
  /** Of the interval, milliseconds since 1970. */
  readonly start: number
  readonly accountId: string
  readonly keyId: string
  readonly face: 'rpc' | 'files'
  /** Empty for the IPFS API. */
  readonly network: string
  readonly method: string
  /** `ok` or a Fault code. */
  readonly outcome: string
  /** The setting that refused; empty elsewhere. */
  readonly reason: string
  readonly status: number
  readonly requests: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

export type UsageLines = {
  /**
   * From the interval that contains `since`, oldest first, including usage in memory. Throws `bad_input` beyond
   * `linesMax` lines.
   */
  list(scope: UsageScope, span: UsageInterval, since: number): readonly UsageLine[]
}

/** Read synchronously on the request thread. */
const linesMax = 50_000

export function createUsageLines(parts: {
  readonly db: Database
  readonly read: Usage['read']
  readonly linesMax?: number
}): UsageLines {
  const { db, read } = parts
  const most = parts.linesMax ?? linesMax

  function written(scope: UsageScope, span: UsageInterval, from: number): UsageLine[] {
    const [where, parameters] =
      'keyId' in scope
        ? ['WHERE k.id = ?', [scope.keyId]]
        : 'accountId' in scope
          ? ['WHERE k.account_id = ?', [scope.accountId]]
          : ['', []]
    return db.all<UsageLine>(
      `SELECT u.start AS start, k.account_id AS accountId, k.id AS keyId, u.face AS face, u.network AS network,
          u.method AS method, u.outcome AS outcome, u.reason AS reason, u.status AS status,
          u.requests AS requests, u.units AS units, u.bytes_in AS bytesIn, u.bytes_out AS bytesOut
        FROM (SELECT id, account_id FROM api_key AS k ${where}) AS k
        CROSS JOIN usage AS u ON u.holder = k.id AND u.span = ? AND u.start >= ? LIMIT ?`,
      [...parameters, spans[span], from, most + 1],
    )
  }

  return {
    list: (scope, span, since) =>
      read((held) => {
        const from = startOf(spans[span], since)
        const lines = new Map(written(scope, span, from).map((line) => [nameOf(line), line]))
        for (const row of held) {
          if (row.minute >= from && isOf(scope, row))
            add(lines, row, startOf(spans[span], row.minute))
        }
        if (lines.size > most) {
          const detail = `more than ${most} lines: choose a shorter time or a single key`
          throw new Fault('bad_input', { detail })
        }
        return [...lines.values()].toSorted(
          (a, b) => a.start - b.start || (nameOf(a) < nameOf(b) ? -1 : 1),
        )
      }),
  }
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
