// Usage as metrics: the usage rows of each second, summed without key and account.
// Tested by src/metrics/metrics.test.ts
import { type FlushedRow, type UsageRow, addRow, emptyRow } from '../access/usage/usage-row.ts'
import type { Metrics } from './registry.ts'

/** Allowed label values; any other name counts as `other`. */
export type KnownNames = {
  readonly methods: ReadonlySet<string>
  /** Networks served now. */
  readonly networks: () => readonly string[]
}

export function countUsage(
  metrics: Metrics,
  { methods, networks }: KnownNames,
): (rows: readonly FlushedRow[]) => void {
  const known = (names: { has(name: string): boolean }, name: string): string =>
    name === '' ? 'none' : names.has(name) ? name : 'other'
  return (rows) => {
    const served = new Set(networks())
    for (const row of withoutKeys(rows)) {
      const { face, outcome } = row
      const network = known(served, row.network)
      const method = known(methods, row.method)
      metrics.add('cairn_requests_total', row.requests, { face, network, method, outcome })
      if (outcome !== 'ok') {
        const reason = row.reason === '' ? 'none' : row.reason
        metrics.add('cairn_refusals_total', row.requests, { face, outcome, reason })
      }
      metrics.add('cairn_units_total', row.units, { face, network })
      metrics.add('cairn_request_bytes_total', row.bytesIn, { face })
      metrics.add('cairn_response_bytes_total', row.bytesOut, { face })
      if (row.latency !== null) metrics.durations.add({ face, network, method }, row.latency)
    }
  }
}

/** Merges the rows of all keys, because counting rows per key delayed concurrent calls. */
function withoutKeys(rows: readonly FlushedRow[]): Iterable<FlushedRow> {
  const alike = new Map<string, UsageRow>()
  for (const row of rows) {
    const { face, network, method, outcome, reason } = row
    const name = `${face}\n${network}\n${method}\n${outcome}\n${reason}`
    const sum = alike.get(name) ?? emptyRow(row, row.minute)
    alike.set(name, sum)
    addRow(sum, row)
  }
  return alike.values()
}
