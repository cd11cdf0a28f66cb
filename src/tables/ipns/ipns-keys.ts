// Table `ipns_key`: keys of IPNS names that Cairn stores for accounts. `id`: the multihash of the public key. `sealed`: the private
// key, encrypted. `lifetime`: of its records. `renew`: when its record is signed again; null: it has no record.
// Tested by src/ipfs/names/ipns-keystore.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type IpnsKeyRow = {
  readonly account_id: string
  readonly name: string
  readonly id: Uint8Array
  readonly sealed: Uint8Array
  /** Milliseconds. */
  readonly lifetime: number
}

const columns = 'account_id, name, id, sealed, lifetime'

/** Keys of an account, ordered by name. */
export function listIpnsKeys(accountId: string): Query<IpnsKeyRow> {
  return query(`SELECT ${columns} FROM ipns_key WHERE account_id = ? ORDER BY name`, [accountId])
}

/** Fails with `NothingChanged` if the account has the name, the key, or `max` keys. `created`: ms since 1970 UTC. */
export function insertIpnsKey(
  row: IpnsKeyRow,
  { created, max }: { readonly created: number; readonly max: number },
): Statement {
  return {
    sql: `INSERT INTO ipns_key (account_id, name, id, sealed, created, lifetime, renew)
      SELECT ?, ?, ?, ?, ?, ?, NULL FROM (SELECT count(*) AS count FROM ipns_key WHERE account_id = ?) AS present
        WHERE present.count < ?
      ON CONFLICT DO NOTHING`,
    parameters: [
      row.account_id,
      row.name,
      row.id,
      row.sealed,
      created,
      row.lifetime,
      row.account_id,
      max,
    ],
    require: 'change',
  }
}

export function deleteIpnsKey(accountId: string, name: string): Statement {
  return {
    sql: 'DELETE FROM ipns_key WHERE account_id = ? AND name = ?',
    parameters: [accountId, name],
  }
}

/** Fails with `NothingChanged` if the account has no key `name`. */
export function renameIpnsKey(accountId: string, name: string, to: string): Statement {
  return {
    sql: 'UPDATE ipns_key SET name = ? WHERE account_id = ? AND name = ?',
    parameters: [to, accountId, name],
    require: 'change',
  }
}

/** Sets the time of the next renewal after a record was signed with the key. */
export function scheduleIpnsKey(
  { account_id: accountId, id }: Pick<IpnsKeyRow, 'account_id' | 'id'>,
  { lifetime, renew }: { readonly lifetime: number; readonly renew: number },
): Statement {
  return {
    sql: 'UPDATE ipns_key SET lifetime = ?, renew = ? WHERE account_id = ? AND id = ?',
    parameters: [lifetime, renew, accountId, id],
  }
}

/** Keys whose records have to be signed again, the longest overdue first. */
export function listIpnsKeysToRenew(now: number, limit: number): Query<IpnsKeyRow> {
  return query(
    `SELECT ${columns} FROM ipns_key WHERE renew <= ? ORDER BY renew, account_id, name LIMIT ${limit}`,
    [now],
  )
}
