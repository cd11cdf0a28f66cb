// Table `light_client`: the light client's last state of each network, in `cairn.db` of each server.
// Tested by test/upstream/consensus-started.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type LightClientRow = {
  readonly network: string
  /** JSON of src/beacon/saved-store.ts, about 130 KB. */
  readonly state: string
  /** SHA-256 of `state`, in hex. */
  readonly digest: string
  /** Milliseconds since 1970 UTC. */
  readonly saved: number
}

export function findLightClient(network: string): Query<LightClientRow> {
  return query('SELECT network, state, digest, saved FROM light_client WHERE network = ?', [
    network,
  ])
}

export function putLightClient({ network, state, digest, saved }: LightClientRow): Statement {
  return {
    sql: `INSERT INTO light_client (network, state, digest, saved) VALUES (?, ?, ?, ?)
      ON CONFLICT (network) DO UPDATE SET state = excluded.state, digest = excluded.digest, saved = excluded.saved`,
    parameters: [network, state, digest, saved],
  }
}
