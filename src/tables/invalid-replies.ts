// Table `lie`: the newest invalid replies of upstreams, with their evidence.
// Tested by src/chain/upstream/pool/invalid-reply-log.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

export type InvalidReplyRow = {
  /** Milliseconds since 1970 UTC. */
  readonly time: number
  readonly network: string
  readonly upstream: string
  readonly method: string
  /** JSON text, cut at 64 KiB. */
  readonly params: string
  /** JSON text of the result, cut at 256 KiB. */
  readonly response: string
  readonly expected: string
  readonly computed: string
  /** `0x` hex of the block's hash, or null. */
  readonly block: string | null
}

export type ListedInvalidReply = InvalidReplyRow & { readonly id: number }

/** Number of invalid replies of an upstream, and the time of the last one. */
export type InvalidReplyCount = Pick<InvalidReplyRow, 'network' | 'upstream'> & {
  readonly lies: number
  readonly last: number
}

/** The newest first. `before`: an ID, exclusive. */
export function listInvalidReplies(
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Query<ListedInvalidReply> {
  return query(
    `SELECT id, time, network, upstream, method, params, response, expected, computed, block FROM lie
      WHERE id < ? ORDER BY id DESC LIMIT ?`,
    [before, limit],
  )
}

/** As `listInvalidReplies`, for one upstream. */
export function listInvalidRepliesOf(
  { network, upstream }: Pick<InvalidReplyRow, 'network' | 'upstream'>,
  limit: number,
  before: number,
): Query<ListedInvalidReply> {
  return query(
    `SELECT id, time, network, upstream, method, params, response, expected, computed, block FROM lie
      WHERE network = ? AND upstream = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [network, upstream, before, limit],
  )
}

/** `since`: milliseconds since 1970 UTC. */
export function countInvalidReplies(since: number): Query<InvalidReplyCount> {
  return query(
    `SELECT network, upstream, count(*) AS lies, max(time) AS last FROM lie WHERE time >= ?
      GROUP BY network, upstream`,
    [since],
  )
}

/** Inserts the row, and deletes all but the newest `rowsMax`. */
export function insertInvalidReply(row: InvalidReplyRow, rowsMax: number): readonly Statement[] {
  const { time, network, upstream, method, params, response, expected, computed, block } = row
  return [
    {
      sql: `INSERT INTO lie (time, network, upstream, method, params, response, expected, computed, block)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      parameters: [time, network, upstream, method, params, response, expected, computed, block],
    },
    { sql: 'DELETE FROM lie WHERE id <= (SELECT max(id) - ? FROM lie)', parameters: [rowsMax] },
  ]
}
