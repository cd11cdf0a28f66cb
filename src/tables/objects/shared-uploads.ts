// Tables `upload` and `upload_part` of PostgreSQL: resumable uploads that can continue on any machine. The bytes of a part are one
// object.
// Tested by test/files/shared-uploads.test.ts
import { query, type Query } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'

export type UploadRow = {
  readonly id: string
  readonly accountId: string
  readonly keyId: string
  readonly bytes: number
  readonly received: number
  readonly created: number
  /** JSON. */
  readonly metadata: string
  /** JSON; null: not added yet. */
  readonly added: string | null
}

export function findUpload(id: string): Query<UploadRow> {
  return query(
    `SELECT id, account_id AS "accountId", key_id AS "keyId", bytes, received, created, metadata, added
      FROM upload WHERE id = ?`,
    [id],
  )
}

export function countOpenUploads(keyId: string): Query<{ readonly uploads: number }> {
  return query('SELECT count(*) AS uploads FROM upload WHERE key_id = ? AND added IS NULL', [keyId])
}

/** Declared bytes of unfinished uploads, by account. */
export function sumOpenUploads(): Query<{ readonly accountId: string; readonly bytes: number }> {
  return query(
    `SELECT account_id AS "accountId", sum(bytes) AS bytes FROM upload WHERE added IS NULL GROUP BY account_id`,
  )
}

export function insertUpload(row: UploadRow): Statement {
  return {
    sql: `INSERT INTO upload (id, account_id, key_id, bytes, received, created, metadata)
      VALUES (?, ?, ?, ?, 0, ?, ?)`,
    parameters: [row.id, row.accountId, row.keyId, row.bytes, row.created, row.metadata],
  }
}

/** Adds a part after the last one. Fails with `NothingChanged` if another machine has added one at this offset. */
export function insertPart(
  id: string,
  part: { readonly at: number; readonly bytes: number; readonly segment: number },
): readonly Statement[] {
  const { at, bytes, segment } = part
  return [
    {
      sql: 'UPDATE upload SET received = ? WHERE id = ? AND received = ? AND added IS NULL',
      parameters: [at + bytes, id, at],
      require: 'change',
    },
    {
      sql: 'INSERT INTO upload_part (upload, at, bytes, segment) VALUES (?, ?, ?, ?)',
      parameters: [id, at, bytes, segment],
    },
  ]
}

/** In order, from byte `from` on. */
export function listParts(
  id: string,
  from: number,
  limit: number,
): Query<{ readonly at: number; readonly bytes: number; readonly segment: number }> {
  return query(
    `SELECT at, bytes, segment FROM upload_part WHERE upload = ? AND at >= ? ORDER BY at LIMIT ${limit}`,
    [id, from],
  )
}

/** The garbage collector removes the objects of the parts, because no row refers to them any more. */
export function finishUpload(id: string, added: string): readonly Statement[] {
  return [
    { sql: 'UPDATE upload SET added = ? WHERE id = ?', parameters: [added, id] },
    { sql: 'DELETE FROM upload_part WHERE upload = ?', parameters: [id] },
  ]
}

export function deleteUpload(id: string): readonly Statement[] {
  return [
    { sql: 'DELETE FROM upload_part WHERE upload = ?', parameters: [id] },
    { sql: 'DELETE FROM upload WHERE id = ?', parameters: [id] },
  ]
}

/** Deletes uploads that were created before this time. */
export function deleteOldUploads(created: number): readonly Statement[] {
  const old = 'SELECT id FROM upload WHERE created < ?'
  return [
    { sql: `DELETE FROM upload_part WHERE upload IN (${old})`, parameters: [created] },
    { sql: 'DELETE FROM upload WHERE created < ?', parameters: [created] },
  ]
}
