// Table `saved_network`: networks that operators saved through the admin API or the command line. `sealed`: the members of
// the network, encrypted, because URLs and headers of upstreams can contain secrets.
// Tested by src/server/saved-networks.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type SavedNetworkRow = {
  readonly name: string
  /** 0 or 1; at most one row has 1. */
  readonly is_default: number
  /** Milliseconds since 1970 UTC, as `changed`. */
  readonly created: number
  readonly changed: number
  readonly sealed: Uint8Array
}

/** The oldest first. */
export function listSavedNetworks(): Query<SavedNetworkRow> {
  return query(
    'SELECT name, is_default, created, changed, sealed FROM saved_network ORDER BY created, name',
  )
}

/** Fails with `NothingChanged` if the name is taken. */
export function insertSavedNetwork(row: SavedNetworkRow): Statement {
  return {
    sql: `INSERT INTO saved_network (name, is_default, created, changed, sealed)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    parameters: [row.name, row.is_default, row.created, row.changed, row.sealed],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if it does not exist, or changed after `before`. */
export function updateSavedNetwork(
  { name, is_default: isDefault, changed, sealed }: Omit<SavedNetworkRow, 'created'>,
  before: number,
): Statement {
  return {
    sql: `UPDATE saved_network SET is_default = ?, changed = ?, sealed = ?
      WHERE name = ? AND changed = ?`,
    parameters: [isDefault, changed, sealed, name, before],
    require: 'change',
  }
}

/** Fails with `NothingChanged` if it does not exist. */
export function deleteSavedNetwork(name: string): Statement {
  return {
    sql: 'DELETE FROM saved_network WHERE name = ?',
    parameters: [name],
    require: 'change',
  }
}

/** Clears the default flag of all saved networks except `name`. */
export function clearDefaultNetwork(name: string): Statement {
  return {
    sql: 'UPDATE saved_network SET is_default = 0 WHERE is_default = 1 AND name <> ?',
    parameters: [name],
  }
}
