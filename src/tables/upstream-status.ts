// Table `upstream_status`: the last status of each upstream of a running server; all rows are replaced together.
// Tested by src/chain/upstream/pool/status-rows.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type UpstreamStatusRow = {
  readonly network: string
  readonly upstream: string
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  /** JSON. */
  readonly status: string
}

export function listUpstreamStatus(): Query<UpstreamStatusRow> {
  return query('SELECT network, upstream, time, status FROM upstream_status')
}

export function replaceUpstreamStatus(rows: readonly UpstreamStatusRow[]): readonly Statement[] {
  return [
    { sql: 'DELETE FROM upstream_status', parameters: [] },
    {
      sql: 'INSERT INTO upstream_status (network, upstream, time, status) VALUES (?, ?, ?, ?)',
      parameters: [],
      rows: rows.map(({ network, upstream, time, status }) => [network, upstream, time, status]),
    },
  ]
}
