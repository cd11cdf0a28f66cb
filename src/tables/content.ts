// Tables `content`, `body` and `staged_content`: bytes in rows, one copy per kind and hash. The row of a quarantined copy has the
// negative ID of its body.
// Tested by test/suites/block-store.suite.ts
import type { Database } from '../db/sqlite.ts'
import type { Statement } from '../db/writer.ts'

type Values = Pick<Database, 'getValue'>

const absent = 'NOT EXISTS (SELECT 1 FROM content WHERE kind = ?2 AND hash = ?3 AND body > 0)'
/** A trigger deletes the body of the quarantined copy. */
const replaceQuarantined =
  'ON CONFLICT (kind, hash) DO UPDATE SET body = excluded.body WHERE content.body < 0'

export function findContent(db: Values, kind: string, hash: Uint8Array): Uint8Array | null {
  return db.getValue(
    `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = content.body
  WHERE content.kind = ? AND content.hash = ?`,
    [kind, hash],
  )
}

/** Finds only a quarantined copy. */
export function findQuarantinedContent(
  db: Values,
  kind: string,
  hash: Uint8Array,
): Uint8Array | null {
  return db.getValue(
    `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = -content.body
  WHERE content.kind = ? AND content.hash = ? AND content.body < 0`,
    [kind, hash],
  )
}

/** Whether quarantined or not. */
export function findAnyContent(db: Values, kind: string, hash: Uint8Array): Uint8Array | null {
  return db.getValue(
    `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = abs(content.body)
  WHERE content.kind = ? AND content.hash = ?`,
    [kind, hash],
  )
}

export function isContentQuarantined(db: Values, kind: string, hash: Uint8Array): boolean {
  const sql = 'SELECT 1 FROM content WHERE kind = ? AND hash = ? AND body < 0'
  return db.getValue(sql, [kind, hash]) !== null
}

export function hasContent(db: Values, kind: string, hash: Uint8Array): boolean {
  const sql = 'SELECT 1 AS present FROM content WHERE kind = ? AND hash = ? AND body > 0'
  return db.getValue(sql, [kind, hash]) !== null
}

/** Leaves an existing copy unchanged, but replaces a quarantined one. */
export function insertContent(
  kind: string,
  hash: Uint8Array,
  bytes: Uint8Array,
): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO body (bytes) SELECT ?1 WHERE ${absent}`,
      parameters: [bytes, kind, hash],
    },
    {
      sql: `INSERT INTO content (kind, hash, body) SELECT ?, ?, last_insert_rowid() WHERE changes() = 1
        ${replaceQuarantined}`,
      parameters: [kind, hash],
    },
  ]
}

/** Reads no longer find the copy. Its bytes stay until a later copy replaces it. */
export function quarantineContent(kind: string, hash: Uint8Array): Statement {
  return {
    sql: 'UPDATE content SET body = -body WHERE kind = ? AND hash = ? AND body > 0',
    parameters: [kind, hash],
  }
}

/** Reads find the quarantined copy again. */
export function releaseContent(kind: string, hash: Uint8Array): Statement {
  return {
    sql: 'UPDATE content SET body = -body WHERE kind = ? AND hash = ? AND body < 0',
    parameters: [kind, hash],
  }
}

export function stageContent(
  batch: string,
  kind: string,
  hash: Uint8Array,
  bytes: Uint8Array,
): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO body (bytes) SELECT ?1 WHERE ${absent}
        AND NOT EXISTS (SELECT 1 FROM staged_content WHERE batch = ?4 AND kind = ?2 AND hash = ?3)`,
      parameters: [bytes, kind, hash, batch],
    },
    {
      sql: `INSERT INTO staged_content (batch, kind, hash, body)
        SELECT ?, ?, ?, last_insert_rowid() WHERE changes() = 1`,
      parameters: [batch, kind, hash],
    },
  ]
}

/** Makes a batch visible. Content that another writer stored in the meantime remains, and the staged duplicate is removed. */
export function publishStagedContent(batch: string): readonly Statement[] {
  const parameters = [batch]
  return [
    {
      sql: `DELETE FROM body WHERE id IN (SELECT staged.body FROM staged_content AS staged JOIN content
        ON content.kind = staged.kind AND content.hash = staged.hash WHERE staged.batch = ?
        AND content.body > 0)`,
      parameters,
    },
    {
      sql: `INSERT INTO content (kind, hash, body)
        SELECT kind, hash, body FROM staged_content WHERE batch = ? AND NOT EXISTS (SELECT 1 FROM content
          WHERE content.kind = staged_content.kind AND content.hash = staged_content.hash AND content.body > 0)
        ${replaceQuarantined}`,
      parameters,
    },
    { sql: 'DELETE FROM staged_content WHERE batch = ?', parameters },
  ]
}

/** Rows that one step of `unstageContent` deletes: discarding a large upload must not block the writer for long. */
export const unstageContentRows = 64

/** Runs one step; in the last step, the last statement changes fewer than `unstageContentRows` rows. `batch` null: all batches. */
export function unstageContent(batch: string | null): readonly Statement[] {
  const where = batch === null ? '1 = 1' : 'batch = ?1'
  const parameters = batch === null ? [] : [batch]
  const order = 'ORDER BY batch, kind, hash'
  return [
    {
      sql: `DELETE FROM body WHERE id IN
          (SELECT body FROM staged_content WHERE ${where} ${order} LIMIT ${unstageContentRows})`,
      parameters,
    },
    {
      sql: `DELETE FROM staged_content WHERE (batch, kind, hash) IN
          (SELECT batch, kind, hash FROM staged_content WHERE ${where} ${order} LIMIT ${unstageContentRows})`,
      parameters,
    },
  ]
}

export type ContentRow = {
  readonly kind: string
  readonly hash: Uint8Array
  /** 0 or 1. */
  readonly quarantined: number
  /** Null: the body is missing. */
  readonly bytes: Uint8Array | null
}

/** The next `limit` copies after the given one, by kind and hash, including quarantined ones. */
export function listContentAfter(
  db: Database,
  kind: string,
  hash: Uint8Array,
  limit: number,
): readonly ContentRow[] {
  return db.all<ContentRow>(
    `SELECT content.kind AS kind, content.hash AS hash, content.body < 0 AS quarantined,
    body.bytes AS bytes
  FROM content LEFT JOIN body ON body.id = abs(content.body)
  WHERE (content.kind, content.hash) > (?, ?) ORDER BY content.kind, content.hash LIMIT ?`,
    [kind, hash, limit],
  )
}

/** Includes quarantined copies. */
export function countContent(db: Database): number {
  return db.get<{ copies: number }>('SELECT count(*) AS copies FROM content')?.copies ?? 0
}

/**
 * A file block stored by an earlier version; later versions store them in segments. `bytes`: its size; null: the body is missing.
 */
export type BlockBodyRow = {
  readonly hash: Uint8Array
  readonly body: number | null
  readonly bytes: number | null
}

export function countBlockBodies(db: Database): number {
  return db.getValue<number>(`SELECT count(*) FROM content WHERE kind = 'dag-block'`) ?? 0
}

export function listBlockBodies(db: Database, limit: number): readonly BlockBodyRow[] {
  return db.all<BlockBodyRow>(
    `SELECT content.hash AS hash, body.id AS body, length(body.bytes) AS bytes
  FROM content LEFT JOIN body ON body.id = content.body WHERE content.kind = 'dag-block' LIMIT ?`,
    [limit],
  )
}

export function findBody(db: Database, body: number): Uint8Array | null {
  return db.getValue<Uint8Array>('SELECT bytes FROM body WHERE id = ?', [body])
}

export function deleteBlockBodies(rows: readonly BlockBodyRow[]): readonly Statement[] {
  return [
    {
      sql: 'DELETE FROM body WHERE id = ?',
      parameters: [],
      rows: rows.map(({ body }) => [body]),
    },
    {
      sql: `DELETE FROM content WHERE kind = 'dag-block' AND hash = ?`,
      parameters: [],
      rows: rows.map(({ hash }) => [hash]),
    },
  ]
}
