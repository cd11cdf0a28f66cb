// Table `ipns_record`: the newest record of each IPNS name. `account_id`: the account of the first record, against whose limit it
// counts. `rank`: sequence number and end of validity, encoded so that bytes sort as records do.
// Tested by src/ipfs/names/names.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type IpnsRecordRow = {
  /** Multihash of the public key. */
  readonly name: Uint8Array
  readonly record: Uint8Array
  /** Milliseconds since 1970 UTC, as `due` and `changed`. */
  readonly validity: number
}

export function findIpnsRecord(name: Uint8Array): Query<Pick<IpnsRecordRow, 'record'>> {
  return query('SELECT record FROM ipns_record WHERE name = ?', [name])
}

/**
 * Fails with `NothingChanged` if the stored record has the same rank or a higher one; and if there is none, and the account has
 * `perAccountMax` records.
 */
export function putIpnsRecord(
  row: IpnsRecordRow & {
    readonly accountId: string
    readonly rank: Uint8Array
    readonly due: number
    readonly changed: number
  },
  perAccountMax: number,
): Statement {
  return {
    sql: `INSERT INTO ipns_record (name, account_id, record, rank, validity, due, changed)
      SELECT ?, ?, ?, ?, ?, ?, ? FROM (SELECT count(*) AS count FROM ipns_record WHERE account_id = ?) AS present
        WHERE present.count < ? OR EXISTS (SELECT 1 FROM ipns_record WHERE name = ?)
      ON CONFLICT (name) DO UPDATE SET record = excluded.record, rank = excluded.rank,
        validity = excluded.validity, due = excluded.due, changed = excluded.changed
      WHERE excluded.rank > ipns_record.rank`,
    parameters: [
      row.name,
      row.accountId,
      row.record,
      row.rank,
      row.validity,
      row.due,
      row.changed,
      row.accountId,
      perAccountMax,
      row.name,
    ],
    require: 'change',
  }
}

/** Deletes the account's records that expired before `now`. */
export function deleteEndedIpnsRecords(accountId: string, now: number): Statement {
  return {
    sql: 'DELETE FROM ipns_record WHERE account_id = ? AND validity <= ?',
    parameters: [accountId, now],
  }
}

/** Valid records that are due for publication, the longest overdue first. */
export function listDueIpnsRecords(now: number, limit: number): Query<IpnsRecordRow> {
  return query(
    `SELECT name, record, validity FROM ipns_record WHERE due <= ? AND validity > ? ORDER BY due, name LIMIT ${limit}`,
    [now, now],
  )
}

/** Has no effect if the record was replaced. */
export function postponeIpnsRecord(name: Uint8Array, record: Uint8Array, due: number): Statement {
  return {
    sql: 'UPDATE ipns_record SET due = ? WHERE name = ? AND record = ?',
    parameters: [due, name, record],
  }
}
