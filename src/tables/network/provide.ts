// Table `provide`: multihashes that are announced on the IPFS network, each with its next time. Triggers insert and delete rows in
// the commits of pins (db/public-triggers.ts); the plan changes their times (ipfs/network/provide-queue.ts).
// Tested by src/ipfs/network/provide-plan.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

/** `due`: milliseconds since 1970; 0 and 1: never announced, a root and a block below one. */
export type ProvideRow = {
  readonly multihash: Uint8Array
  readonly due: number
  readonly tried: number
  /** The last announcement that at least one peer stored; null: none. */
  readonly announced: number | null
}

/** The greatest `due` of a row that was never announced. */
export const newDueMax = 1

/** `rootsOnly`: excludes blocks below roots, which are announced only with `all`. */
const whichOf = (rootsOnly: boolean): string => (rootsOnly ? 'roots > 0 AND ' : '')

/** Rows due from `from` to `until`, ordered by time. */
export function listDue(
  rootsOnly: boolean,
  { from, until, limit }: { readonly from: number; readonly until: number; readonly limit: number },
): Query<ProvideRow> {
  return query(
    `SELECT multihash, due, tried, announced FROM provide WHERE ${whichOf(rootsOnly)}due >= ? AND due <= ?
      ORDER BY due LIMIT ${limit}`,
    [from, until],
  )
}

/** Rows due from `from` to `until`. */
export function countDue(
  rootsOnly: boolean,
  from: number,
  until: number,
): Query<{ readonly count: number }> {
  return query(
    `SELECT count(*) AS count FROM provide WHERE ${whichOf(rootsOnly)}due >= ? AND due <= ?`,
    [from, until],
  )
}

/** Makes a row due at `due` that is due after `after`. A row whose last announcement failed keeps the time of its next try. */
export function advanceDue(multihash: Uint8Array, due: number, after: number): Statement {
  return {
    sql: 'UPDATE provide SET due = ? WHERE multihash = ? AND due > ? AND tried = 0',
    parameters: [due, multihash, after],
  }
}

/** Does not recreate a row that was deleted in the meantime. */
export function setDue({ multihash, due, tried, announced }: ProvideRow): Statement {
  return {
    sql: 'UPDATE provide SET due = ?, tried = ?, announced = ? WHERE multihash = ?',
    parameters: [due, tried, announced, multihash],
  }
}
