// Quarantined copies in the tables `block` and `content`: the row of a block has the negative number of its segment, that of other
// content the negative ID of its body.
// Tested by src/content/quarantine-check.test.ts
import type { Database } from '../db/sqlite.ts'

// The index `block_unreadable` covers rows with `file <= 0`.

export function countQuarantined(db: Database): number {
  return (
    (db.getValue<number>('SELECT count(*) FROM block WHERE file <= 0 AND file < 0') ?? 0) +
    (db.getValue<number>('SELECT count(*) FROM content WHERE body < 0') ?? 0)
  )
}

/** The next `limit` blocks after an ID. */
export function listQuarantinedBlocks(
  db: Database,
  after: number,
  limit: number,
): readonly { readonly id: number; readonly hash: Uint8Array }[] {
  return db.all<{ id: number; hash: Uint8Array }>(
    'SELECT id, hash FROM block WHERE file <= 0 AND file < 0 AND id > ? ORDER BY id LIMIT ?',
    [after, limit],
  )
}

/** The next `limit` copies after a body ID, which is negative. */
export function listQuarantinedContent(
  db: Database,
  after: number,
  limit: number,
): readonly { readonly body: number; readonly kind: string; readonly hash: Uint8Array }[] {
  return db.all<{ body: number; kind: string; hash: Uint8Array }>(
    'SELECT body, kind, hash FROM content WHERE body < 0 AND body > ? ORDER BY body LIMIT ?',
    [after, limit],
  )
}
