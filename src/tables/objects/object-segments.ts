// Tables `segment` and `node_lease` of PostgreSQL: objects, and the machines that write them. Times are by the database's clock.
// Tested by test/files/object-blocks.test.ts
import { placeholders, query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

/** Each call creates a new lease. `settings`: digests of the machine's settings; null: none. */
export function takeNodeLease(
  node: string,
  settings: string | null,
  leaseMs: number,
): Query<{ readonly token: number }> {
  return query(
    `INSERT INTO node_lease (node, settings, until)
      VALUES (?, ?, now() + ?::bigint * interval '1 millisecond') RETURNING token`,
    [node, settings, leaseMs],
  )
}

/** Servers with a lease, by name, with their last settings; without commands, which have none. */
export function listLiveNodes(): Query<{ readonly node: string; readonly settings: string }> {
  return query(
    `SELECT DISTINCT ON (node) node, settings FROM node_lease WHERE until > now() AND settings IS NOT NULL
      ORDER BY node, token DESC`,
  )
}

/** Fails with `NothingChanged` if the lease expired too long ago: its objects may be marked dead. */
export function renewNodeLease(
  token: number,
  settings: string | null,
  leaseMs: number,
  graceMs: number,
): Statement {
  return {
    sql: `UPDATE node_lease SET settings = ?, until = now() + ?::bigint * interval '1 millisecond'
      WHERE token = ? AND until > now() - ?::bigint * interval '1 millisecond'`,
    parameters: [settings, leaseMs, token, graceMs / 2],
    require: 'change',
  }
}

/** Reserves the next IDs for objects that the holder of the lease writes. */
export function reserveSegments(token: number, count: number): Query<{ readonly id: number }> {
  return query(
    `INSERT INTO segment (token, state) SELECT ?::bigint, 'writing' FROM generate_series(1, ?::int)
      RETURNING id`,
    [token, count],
  )
}

/** An object that is complete. */
export type CompleteSegment = {
  readonly id: number
  readonly token: number
  readonly bytes: number
}

/** For the transaction of the blocks. Fails with `NothingChanged` if the segment is dead because the writer was paused. */
export function publishSegment({ id, token, bytes }: CompleteSegment): Statement {
  return {
    sql: `UPDATE segment SET state = 'live', bytes = ?, since = now()
      WHERE id = ? AND token = ? AND state IN ('writing', 'live')`,
    parameters: [bytes, id, token],
    require: 'change',
  }
}

/** Marks objects that will not be completed. */
export function abandonSegments(ids: readonly number[], token: number): Statement {
  return {
    sql: `UPDATE segment SET state = 'dead', since = now() WHERE id = ? AND token = ? AND state = 'writing'`,
    parameters: [],
    rows: ids.map((id) => [id, token]),
  }
}

const leaseIsOver = (token: string): string =>
  `NOT EXISTS (SELECT 1 FROM node_lease WHERE node_lease.token = ${token}
    AND until > now() - ?::bigint * interval '1 millisecond')`

/**
 * Marks segments that no commit completed: the writer's lease expired `graceMs` ago, or they are older than `writingMs`. At most
 * `limit`; skips segments that a commit has locked.
 */
export function markOrphans(graceMs: number, writingMs: number, limit: number): Statement {
  return {
    sql: `UPDATE segment SET state = 'dead', since = now() WHERE id IN (
      SELECT id FROM segment WHERE state = 'writing' AND (${leaseIsOver('segment.token')}
        OR since < now() - ?::bigint * interval '1 millisecond')
      ORDER BY id LIMIT ?::int FOR UPDATE SKIP LOCKED)`,
    parameters: [graceMs, writingMs, limit],
  }
}

/** Marks live segments without blocks. `quietMs`: time since the last commit that changed them. */
export function markEmpty(ids: readonly number[], quietMs: number): Statement {
  return {
    sql: `UPDATE segment SET state = 'dead', since = now() WHERE id = ? AND state = 'live'
      AND since < now() - ?::bigint * interval '1 millisecond'`,
    parameters: [],
    rows: ids.map((id) => [id, quietMs]),
  }
}

/** Live segments that no commit has changed for `quietMs` and no upload uses, by ID after `after`. */
export function listQuietSegments(
  after: number,
  quietMs: number,
  limit: number,
): Query<{ readonly id: number }> {
  return query(
    `SELECT id FROM segment WHERE id > ? AND state = 'live'
      AND since < now() - ?::bigint * interval '1 millisecond'
      AND NOT EXISTS (SELECT 1 FROM upload_part WHERE upload_part.segment = segment.id) ORDER BY id LIMIT ${limit}`,
    [after, quietMs],
  )
}

/** Sizes of at most 256 live segments. */
export function findSegmentSizes(
  ids: readonly number[],
): Query<{ readonly id: number; readonly bytes: number }> {
  return query(
    `SELECT id, bytes FROM segment WHERE state = 'live' AND id IN (${placeholders(ids)})`,
    ids,
  )
}

/** Segments that have been in this state for `delayMs`. */
export function listRemovableSegments(
  state: 'dead' | 'removed',
  delayMs: number,
  limit: number,
): Query<{ readonly id: number; readonly bytes: number }> {
  return query(
    // A separate SQL text for each state, because the index is partial.
    `SELECT id, bytes FROM segment WHERE state = '${state}'
      AND since < now() - ?::bigint * interval '1 millisecond' ORDER BY since LIMIT ${limit}`,
    [delayMs],
  )
}

/** Call after their objects were removed. */
export function markRemoved(ids: readonly number[]): Statement {
  return {
    sql: `UPDATE segment SET state = 'removed', since = now() WHERE id = ? AND state = 'dead'`,
    parameters: [],
    rows: ids.map((id) => [id]),
  }
}

/** Call after their objects were removed once more. */
export function deleteSegments(ids: readonly number[]): Statement {
  return {
    sql: `DELETE FROM segment WHERE id = ? AND state = 'removed'`,
    parameters: [],
    rows: ids.map((id) => [id]),
  }
}

/** Deletes rows of batches whose machine's lease ended: the ID of a batch begins with the token of its lease. */
export function unstageEnded(graceMs: number, limit: number): Statement {
  return {
    sql: `DELETE FROM staged WHERE (batch, tree, hash) IN (SELECT batch, tree, hash FROM staged
      WHERE batch ~ '^[0-9]+[.]' AND ${leaseIsOver(`split_part(batch, '.', 1)::bigint`)} LIMIT ?::int)`,
    parameters: [graceMs, limit],
  }
}

/** Deletes leases that ended long ago and have no unfinished segment. */
export function deleteEndedLeases(endedMs: number): Statement {
  return {
    sql: `DELETE FROM node_lease WHERE until < now() - ?::bigint * interval '1 millisecond'
      AND NOT EXISTS (SELECT 1 FROM segment WHERE segment.token = node_lease.token AND state = 'writing')`,
    parameters: [endedMs],
  }
}
