// Table `pin_request`: content that accounts requested to pin, and its progress. A pinned request represents the account's pin of
// its CID; the statements keep both consistent. Times: milliseconds since 1970 UTC.
// Tested by src/ipfs/pins/pin-requests.test.ts, src/ipfs/pins/pin-queue.test.ts
import { placeholders, query, type Query } from '../../db/rows.ts'
import type { SqlValue, Statement } from '../../db/writer.ts'

export type PinRequestStatus = 'queued' | 'pinning' | 'pinned' | 'failed'

export type PinRequestRow = {
  readonly id: string
  readonly account_id: string
  readonly cid: Uint8Array
  readonly name: string
  /** A JSON object of strings, and a JSON list of multiaddrs; null: not sent. */
  readonly meta: string | null
  readonly origins: string | null
  readonly status: PinRequestStatus
  /** Distinct within the account. */
  readonly created: number
  /** Time of the next try of a queued request. */
  readonly due: number
  readonly tries: number
  /** Error of the last try. */
  readonly error: string | null
  readonly blocks: number
  readonly bytes: number
  /** CID of the pin that is removed when this request ends. */
  readonly replaces: Uint8Array | null
  /** The API key that added the request; null: unknown. */
  readonly key_id: string | null
}

const columns =
  'id, account_id, cid, name, meta, origins, status, created, due, tries, error, blocks, bytes, replaces, key_id'

export type PinRequestFilter = {
  readonly cids: readonly Uint8Array[]
  readonly statuses: readonly PinRequestStatus[]
  /** `folded`: case-insensitive. */
  readonly name: { readonly text: string; readonly part: boolean; readonly folded: boolean } | null
  /** Exclusive bounds of `created`. */
  readonly before: number | null
  readonly after: number | null
  readonly meta: readonly (readonly [key: string, value: string])[]
}

type Engine = 'sqlite' | 'postgres'

function nameCondition({ part, folded }: NonNullable<PinRequestFilter['name']>, engine: Engine) {
  const column = folded ? 'folded' : 'name'
  if (!part) return `${column} = ?`
  return `${engine === 'sqlite' ? 'instr' : 'strpos'}(${column}, ?) > 0`
}

const metaCondition: Readonly<Record<Engine, string>> = {
  sqlite: 'EXISTS (SELECT 1 FROM json_each(meta) AS pair WHERE pair.key = ? AND pair.value = ?)',
  postgres: '(meta::json ->> ?) = ?',
}

function matching(filter: PinRequestFilter, engine: Engine): string {
  const { cids, statuses, name, before, after, meta } = filter
  return [
    'account_id = ?',
    ...(cids.length === 0 ? [] : [`cid IN (${placeholders(cids)})`]),
    `status IN (${placeholders(statuses)})`,
    ...(name === null ? [] : [nameCondition(name, engine)]),
    ...(before === null ? [] : ['created < ?']),
    ...(after === null ? [] : ['created > ?']),
    ...meta.map(() => metaCondition[engine]),
  ].join(' AND ')
}

function valuesOf(accountId: string, filter: PinRequestFilter): readonly SqlValue[] {
  const { cids, statuses, name, before, after, meta } = filter
  return [
    accountId,
    ...cids,
    ...statuses,
    ...(name === null ? [] : [name.text]),
    ...(before === null ? [] : [before]),
    ...(after === null ? [] : [after]),
    ...meta.flat(),
  ]
}

/** The newest first. */
export function listPinRequests(
  accountId: string,
  filter: PinRequestFilter,
  limit: number,
): Query<PinRequestRow> {
  const [sql, postgres] = (['sqlite', 'postgres'] as const).map(
    (engine) =>
      `SELECT ${columns} FROM pin_request WHERE ${matching(filter, engine)} ORDER BY created DESC LIMIT ?`,
  )
  return query(sql ?? '', [...valuesOf(accountId, filter), limit], postgres)
}

/** Counts at most `limit`. */
export function countPinRequests(
  accountId: string,
  filter: PinRequestFilter,
  limit: number,
): Query<{ readonly count: number }> {
  const [sql, postgres] = (['sqlite', 'postgres'] as const).map(
    (engine) =>
      `SELECT count(*) AS count FROM (SELECT 1 AS one FROM pin_request
        WHERE ${matching(filter, engine)} LIMIT ?) AS found`,
  )
  return query(sql ?? '', [...valuesOf(accountId, filter), limit], postgres)
}

export function findPinRequest(accountId: string, id: string): Query<PinRequestRow> {
  return query(`SELECT ${columns} FROM pin_request WHERE id = ? AND account_id = ?`, [
    id,
    accountId,
  ])
}

/** Maximum number of requests: of an account for one CID, waiting ones of an account, waiting ones of all accounts. */
export type PinRequestLimits = {
  readonly sameMax: number
  readonly openMax: number
  readonly openInAllMax: number
}

const ownWaits = ' AND account_id = ?'
const waits = (status: string, also: string): string =>
  `(SELECT count(*) FROM (SELECT 1 AS one FROM pin_request WHERE status = '${status}'${also} LIMIT ?) AS ${status})`
const waiting = (also: string): string => `${waits('queued', also)} + ${waits('pinning', also)}`
const forCid = `(SELECT count(*)
  FROM (SELECT 1 AS one FROM pin_request WHERE account_id = ? AND cid = ? LIMIT ?) AS same)`

/** Counts the requests that the limits are about, none further than necessary. */
export function countOpenPinRequests(
  accountId: string,
  cid: Uint8Array,
  { sameMax, openMax, openInAllMax }: PinRequestLimits,
): Query<{ readonly same: number; readonly own: number; readonly every: number }> {
  return query(`SELECT ${forCid} AS same, ${waiting(ownWaits)} AS own, ${waiting('')} AS every`, [
    accountId,
    cid,
    sameMax,
    accountId,
    openMax,
    accountId,
    openMax,
    openInAllMax,
    openInAllMax,
  ])
}

/** Number of requests by status, for metrics: `failed` are those still listed. */
export function countPinRequestsByStatus(): Query<{
  readonly status: PinRequestStatus
  readonly count: number
}> {
  return query(
    `SELECT status, count(*) AS count FROM pin_request WHERE status <> 'pinned' GROUP BY status`,
  )
}

export type NewPinRequest = Pick<
  PinRequestRow,
  'id' | 'account_id' | 'cid' | 'name' | 'meta' | 'origins' | 'replaces' | 'key_id'
> & { readonly now: number }

/**
 * Queued at `now`, or a millisecond after the account's newest request if that is later. Fails with `NothingChanged` if a limit is
 * reached.
 */
export function insertPinRequest(
  row: NewPinRequest,
  { sameMax, openMax, openInAllMax }: PinRequestLimits,
): Statement {
  const { id, account_id: accountId, cid, name, meta, origins, replaces, key_id: keyId, now } = row
  return {
    sql: `INSERT INTO pin_request (id, account_id, cid, name, folded, meta, origins, status, created, due, tries, blocks,
        bytes, replaces, key_id)
      SELECT ?, ?, ?, ?, ?, ?, ?, 'queued', CASE WHEN newest.next > ? THEN newest.next ELSE ? END, ?, 0, 0, 0, ?, ?
        FROM (SELECT coalesce(max(created) + 1, 0) AS next FROM pin_request WHERE account_id = ?) AS newest
        WHERE ${forCid} < ? AND ${waiting(ownWaits)} < ? AND ${waiting('')} < ?`,
    parameters: [
      id,
      accountId,
      cid,
      name,
      name.toLowerCase(),
      meta,
      origins,
      now,
      now,
      now,
      replaces,
      keyId,
      accountId,
      accountId,
      cid,
      sameMax,
      sameMax,
      accountId,
      openMax,
      accountId,
      openMax,
      openMax,
      openInAllMax,
      openInAllMax,
      openInAllMax,
    ],
    require: 'change',
  }
}

/** Deletes the request as it was read. Fails with `NothingChanged` if it has changed since. */
export function deletePinRequest({ id, status }: Pick<PinRequestRow, 'id' | 'status'>): Statement {
  return {
    sql: 'DELETE FROM pin_request WHERE id = ? AND status = ?',
    parameters: [id, status],
    require: 'change',
  }
}

/** Deletes the pin, unless a request represents it or a later one replaces it. */
export function releasePinOfRequest(accountId: string, cid: Uint8Array): Statement {
  return {
    sql: `DELETE FROM pin WHERE account_id = ? AND cid = ? AND mode = 'recursive'
      AND NOT EXISTS (SELECT 1 FROM pin_request WHERE account_id = ? AND cid = ? AND status = 'pinned')
      AND NOT EXISTS (SELECT 1 FROM pin_request WHERE account_id = ? AND replaces = ?)`,
    parameters: [accountId, cid, accountId, cid, accountId, cid],
  }
}

/** Deletes requests together with the pin that they represent. */
export function deletePinnedRequests(accountId: string, cid: Uint8Array): Statement {
  return {
    sql: `DELETE FROM pin_request WHERE account_id = ? AND cid = ? AND status = 'pinned'`,
    parameters: [accountId, cid],
  }
}

/** The first queued request, by due time, of the next account after `account` that has one. No row: no account is left. */
export function findNextPinRequest(account: string): Query<PinRequestRow> {
  return query(
    `SELECT ${columns} FROM pin_request WHERE status = 'queued' AND account_id =
        (SELECT min(account_id) FROM pin_request WHERE status = 'queued' AND account_id > ?)
      ORDER BY due, created LIMIT 1`,
    [account],
  )
}

/** As in PinRequest. */
type Counts = { readonly blocks: number; readonly bytes: number }

/** Starts a try. Fails with `NothingChanged` if the request is not queued. `claim`: unique for each try. */
export function claimPinRequest(id: string, claim: string): Statement {
  return {
    sql: `UPDATE pin_request SET status = 'pinning', claim = ?, tries = tries + 1, blocks = 0, bytes = 0
      WHERE id = ? AND status = 'queued'`,
    parameters: [claim, id],
    require: 'change',
  }
}

export type PinRequestClaim = { readonly id: string; readonly claim: string }

export function progressPinRequest(
  { id, claim }: PinRequestClaim,
  { blocks, bytes }: Counts,
): Statement {
  return {
    sql: `UPDATE pin_request SET blocks = ?, bytes = ? WHERE id = ? AND status = 'pinning' AND claim = ?`,
    parameters: [blocks, bytes, id, claim],
  }
}

function ofPin(column: string): string {
  return `coalesce((SELECT root.${column} FROM pin CROSS JOIN root ON root.id = pin.root
    WHERE pin.account_id = pin_request.account_id AND pin.cid = pin_request.cid), 0)`
}

/**
 * For the commit of the pin, after its rows: copies the pin's counts. Fails with `NothingChanged` if the request was removed or
 * another try has started.
 */
export function finishPinRequest({ id, claim }: PinRequestClaim): Statement {
  return {
    sql: `UPDATE pin_request SET status = 'pinned', error = NULL, claim = NULL, replaces = NULL,
        blocks = ${ofPin('blocks')}, bytes = ${ofPin('bytes')}
      WHERE id = ? AND status = 'pinning' AND claim = ?`,
    parameters: [id, claim],
    require: 'change',
  }
}

/** Ends a try without a pin: queued until `due`, or failed permanently if `due` is null. Fails with `NothingChanged` as above. */
export function endPinRequestTry(
  { id, claim }: PinRequestClaim,
  error: string,
  due: number | null,
): Statement {
  const status = due === null ? 'failed' : 'queued'
  return {
    sql: `UPDATE pin_request SET status = ?, error = ?, due = ?, claim = NULL,
        replaces = CASE WHEN ? = 'failed' THEN NULL ELSE replaces END
      WHERE id = ? AND status = 'pinning' AND claim = ?`,
    parameters: [status, error, due ?? 0, status, id, claim],
    require: 'change',
  }
}

/** Queues again the tries of a process that ended. */
export function requeuePinRequests(): Statement {
  return {
    sql: `UPDATE pin_request SET status = 'queued', claim = NULL WHERE status = 'pinning'`,
    parameters: [],
  }
}

export function deleteFailedPinRequests(createdBefore: number): Statement {
  return {
    sql: `DELETE FROM pin_request WHERE status = 'failed' AND created < ?`,
    parameters: [createdBefore],
  }
}

/** Deletes an account's failed requests except the newest `max`. */
export function trimFailedPinRequests(accountId: string, max: number): Statement {
  return {
    sql: `DELETE FROM pin_request WHERE account_id = ? AND status = 'failed' AND created <=
      (SELECT created FROM pin_request WHERE account_id = ? AND status = 'failed' ORDER BY created DESC LIMIT 1 OFFSET ?)`,
    parameters: [accountId, accountId, max],
  }
}
