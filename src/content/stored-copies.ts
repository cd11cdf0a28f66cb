// Iterates over every copy in the embedded Store, for a check of the whole store.
// Tested by src/cli/commands/store-verify.test.ts
import type { Database } from '../db/sqlite.ts'
import type { ContentKind, ContentRef } from './ref.ts'

/** Copies per read: limits memory, and how long one read delays the WAL checkpoint. */
const stepRows = 16

const readSql = `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = abs(content.body)
  WHERE content.kind = ? AND content.hash = ?`
const stepSql = `SELECT content.kind AS kind, content.hash AS hash, content.body < 0 AS quarantined,
    body.bytes AS bytes
  FROM content LEFT JOIN body ON body.id = abs(content.body)
  WHERE (content.kind, content.hash) > (?, ?) ORDER BY content.kind, content.hash LIMIT ${stepRows}`

/**
 * `bytes`: not verified; null when the row names a body that is gone, or when they cannot be read. `again`: a new read of
 * the disk, which throws the system's error.
 */
export type Copy = {
  readonly ref: ContentRef
  readonly bytes: Uint8Array | null
  readonly isQuarantined: boolean
  readonly again: () => Uint8Array | null
}

type Row = {
  readonly kind: ContentKind
  readonly hash: Uint8Array
  readonly quarantined: number
  readonly bytes: Uint8Array | null
}

/** In the order of kind and hash. Copies added or removed meanwhile may be included or not. */
export function* listCopies(db: Database): Generator<Copy> {
  let kind = ''
  let hash: Uint8Array = new Uint8Array()
  for (;;) {
    const rows = db.all<Row>(stepSql, [kind, hash])
    for (const row of rows) {
      const again = (): Uint8Array | null => {
        db.forgetPages()
        return db.getValue<Uint8Array>(readSql, [row.kind, row.hash])
      }
      const ref = { kind: row.kind, hash: row.hash }
      yield { ref, bytes: row.bytes, isQuarantined: row.quarantined === 1, again }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < stepRows) return
    kind = last.kind
    hash = last.hash
  }
}

export function countCopies(db: Database): number {
  return db.get<{ copies: number }>('SELECT count(*) AS copies FROM content')?.copies ?? 0
}
