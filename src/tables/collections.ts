// Table `collection`: garbage collections that another process requests, with their results.
// Tested by src/ipfs/collection/collection-requests.test.ts
import { query, type Query } from '../db/rows.ts'
import type { Statement } from '../db/writer.ts'

/** `blocks` and `bytes`: what was deleted; null: nothing was collected, and `error` contains the reason. */
export type CollectionResultRow = {
  readonly blocks: number | null
  readonly bytes: number | null
  readonly error: string | null
}

export function insertCollection(asked: number): Statement {
  return { sql: 'INSERT INTO collection (asked) VALUES (?)', parameters: [asked] }
}

/** `id` null: no collections. */
export function findLatestCollection(): Query<{ readonly id: number | null }> {
  return query('SELECT max(id) AS id FROM collection')
}

/** The latest one without a result; `id` null: none. */
export function findLatestOpenCollection(): Query<{ readonly id: number | null }> {
  return query('SELECT max(id) AS id FROM collection WHERE ended IS NULL')
}

/** No row: it has not ended yet. */
export function findCollectionResult(id: number): Query<CollectionResultRow> {
  return query('SELECT blocks, bytes, error FROM collection WHERE id = ? AND ended IS NOT NULL', [
    id,
  ])
}

/** Sets the result of all requests up to `latest`, and deletes all but the last `resultsMax` results. */
export function endCollections(
  latest: number,
  { blocks, bytes, error }: CollectionResultRow,
  { ended, resultsMax }: { readonly ended: number; readonly resultsMax: number },
): readonly Statement[] {
  return [
    {
      sql: `UPDATE collection SET ended = ?, blocks = ?, bytes = ?, error = ? WHERE id <= ? AND ended IS NULL`,
      parameters: [ended, blocks, bytes, error, latest],
    },
    { sql: 'DELETE FROM collection WHERE id <= ?', parameters: [latest - resultsMax] },
  ]
}
