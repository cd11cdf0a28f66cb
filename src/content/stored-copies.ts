// Iterates over every copy in the embedded BlockStore, for a check of the whole store.
// Tested by src/cli/commands/store-verify.test.ts
import type { Database } from '../db/sqlite.ts'
import { findAnyContent, listContentAfter } from '../tables/content.ts'
import type { ContentKind, ContentRef } from './ref.ts'

/** Copies per read: limits memory, and how long one read delays the WAL checkpoint. */
const stepRows = 16

/**
 * `bytes`: not verified; null if the row refers to a missing body, or if they cannot be read. `again`: reads the disk again, and
 * throws the system's error.
 */
export type Copy = {
  readonly ref: ContentRef
  readonly bytes: Uint8Array | null
  readonly isQuarantined: boolean
  readonly again: () => Uint8Array | null
}

/** Ordered by kind and hash. Copies added or removed during the iteration may be included or not. */
export function* listCopies(db: Database): Generator<Copy> {
  let kind = ''
  let hash: Uint8Array = new Uint8Array()
  for (;;) {
    const rows = listContentAfter(db, kind, hash, stepRows)
    for (const row of rows) {
      const again = (): Uint8Array | null => {
        db.forgetPages()
        return findAnyContent(db, row.kind, row.hash)
      }
      const ref = { kind: row.kind as ContentKind, hash: row.hash }
      yield { ref, bytes: row.bytes, isQuarantined: row.quarantined === 1, again }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < stepRows) return
    kind = last.kind
    hash = last.hash
  }
}
