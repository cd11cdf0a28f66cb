// Usage by hour as rows for people and programs.
import { findAll } from '../db/queries.ts'
import { spans } from '../limits/usage-statements.ts'
import type { Data } from './open-data.ts'

export type UsageRow = {
  /** Start of the UTC hour, ISO 8601. */
  readonly hour: string
  readonly account: string
  readonly keyId: string
  readonly face: string
  readonly network: string
  readonly method: string
  /** `ok` or a Fault code. */
  readonly outcome: string
  /** Of a refusal that has one; else empty. */
  readonly reason: string
  readonly status: number
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
    .innerJoin('api_key as k', 'k.id', 'u.holder')
    .innerJoin('account as a', 'a.id', 'k.account_id')
    .select([
      'u.start as hour',
      'a.name as account',
      'u.holder as keyId',
      'u.face',
      'u.network',
      'u.method',
    ])
    .select(['u.outcome', 'u.reason', 'u.status', 'u.requests', 'u.units'])
    .select(['u.bytes_in as bytesIn', 'u.bytes_out as bytesOut'])
    .where('u.span', '=', spans.hour)
    .where('u.start', '>=', since)
    .orderBy('u.start')
    .orderBy('u.holder')
    .orderBy('u.face')
    .orderBy('u.network')
    .orderBy('u.method')
    .orderBy('u.outcome')
    .orderBy('u.reason')
  const chosen = account === null ? query : query.where('a.name', '=', account)
  return findAll(db, chosen).map((row) => ({ ...row, hour: new Date(row.hour).toISOString() }))
}
