// The usage table as rows for people and programs.
import { findAll } from '../db/queries.ts'
import type { Data } from './open-data.ts'

export type UsageRow = {
  /** Start of the UTC hour, ISO 8601. */
  readonly hour: string
  readonly account: string | null
  readonly keyId: string
  readonly face: string
  readonly network: string
  readonly method: string
  /** `ok` or a Fault code. */
  readonly outcome: string
  readonly requests: number
  readonly units: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Rows from the hour `since` (milliseconds since 1970) on, oldest first. `account`: a name, or null for all. */
export function listUsage(
  { db, queries }: Data,
  since: number,
  account: string | null,
): readonly UsageRow[] {
  const query = queries
    .selectFrom('usage as u')
    .leftJoin('api_key as k', 'k.id', 'u.key_id')
    .leftJoin('account as a', 'a.id', 'k.account_id')
    .select(['u.hour', 'a.name as account', 'u.key_id as keyId', 'u.face', 'u.network', 'u.method'])
    .select(['u.outcome', 'u.requests', 'u.units', 'u.bytes_in as bytesIn'])
    .select('u.bytes_out as bytesOut')
    .where('u.hour', '>=', since)
    .orderBy('u.hour')
    .orderBy('u.key_id')
    .orderBy('u.face')
    .orderBy('u.network')
    .orderBy('u.method')
    .orderBy('u.outcome')
  const chosen = account === null ? query : query.where('a.name', '=', account)
  return findAll(db, chosen).map((row) => ({ ...row, hour: new Date(row.hour).toISOString() }))
}
