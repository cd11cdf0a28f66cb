// Table `pin_remote`: other pinning services that accounts use. `sealed`: the access token, encrypted.
// Tested by src/kubo/remote-pins/pin-remotes.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type PinRemoteRow = {
  readonly name: string
  /** URL without a trailing slash. */
  readonly endpoint: string
  readonly sealed: Uint8Array
}

/** Ordered by name. */
export function listPinRemotes(accountId: string, limit: number): Query<PinRemoteRow> {
  return query(
    'SELECT name, endpoint, sealed FROM pin_remote WHERE account_id = ? ORDER BY name LIMIT ?',
    [accountId, limit],
  )
}

export function findPinRemote(accountId: string, name: string): Query<PinRemoteRow> {
  return query('SELECT name, endpoint, sealed FROM pin_remote WHERE account_id = ? AND name = ?', [
    accountId,
    name,
  ])
}

/** Fails with `NothingChanged` if the account has a service of that name, or `max` services. `created`: ms since 1970 UTC. */
export function insertPinRemote(
  accountId: string,
  { name, endpoint, sealed }: PinRemoteRow,
  { created, max }: { readonly created: number; readonly max: number },
): Statement {
  return {
    sql: `INSERT INTO pin_remote (account_id, name, endpoint, sealed, created)
      SELECT ?, ?, ?, ?, ? FROM (SELECT count(*) AS count FROM pin_remote WHERE account_id = ?) AS present
        WHERE present.count < ?
      ON CONFLICT DO NOTHING`,
    parameters: [accountId, name, endpoint, sealed, created, accountId, max],
    require: 'change',
  }
}

export function deletePinRemote(accountId: string, name: string): Statement {
  return {
    sql: 'DELETE FROM pin_remote WHERE account_id = ? AND name = ?',
    parameters: [accountId, name],
  }
}
