// Rows of quarantined copies: they failed verification more than once. They are not served; their bytes stay, because
// possibly no source has the content. The row of a block has the negative of its segment, that of other content the
// negative of its body.
// Tested by src/content/quarantine-check.test.ts
import type { Database } from '../db/sqlite.ts'
import type { ContentKind, ContentRef } from './ref.ts'

// The index `block_unreadable` covers rows with `file <= 0`.

export function countQuarantined(db: Database): number {
  return (
    (db.getValue<number>('SELECT count(*) FROM block WHERE file <= 0 AND file < 0') ?? 0) +
    (db.getValue<number>('SELECT count(*) FROM content WHERE body < 0') ?? 0)
  )
}

/** How far a walk over them has come. */
export type QuarantinePlace = { readonly block: number; readonly body: number }

export const beforeQuarantine: QuarantinePlace = { block: 0, body: Number.MIN_SAFE_INTEGER }

/** The next ones, at most `max` per table. `next` null: the end. */
export function listQuarantined(
  db: Database,
  after: QuarantinePlace,
  max: number,
): { readonly refs: readonly ContentRef[]; readonly next: QuarantinePlace | null } {
  const blocks = db.all<{ id: number; hash: Uint8Array }>(
    'SELECT id, hash FROM block WHERE file <= 0 AND file < 0 AND id > ? ORDER BY id LIMIT ?',
    [after.block, max],
  )
  const others = db.all<{ body: number; kind: ContentKind; hash: Uint8Array }>(
    'SELECT body, kind, hash FROM content WHERE body < 0 AND body > ? ORDER BY body LIMIT ?',
    [after.body, max],
  )
  const refs = [
    ...blocks.map(({ hash }) => ({ kind: 'dag-block', hash }) as const),
    ...others.map(({ kind, hash }) => ({ kind, hash })),
  ]
  if (blocks.length < max && others.length < max) return { refs, next: null }
  const next = {
    block: blocks.at(-1)?.id ?? after.block,
    body: others.at(-1)?.body ?? after.body,
  }
  return { refs, next }
}

/** Whether there is any, as far as this process knows: a miss need not look for a copy in quarantine otherwise. */
export type QuarantineFlag = {
  readonly isUp: boolean
  /** One came. */
  raise(): void
  /** Reads the rows, because another process may have added some. */
  look(): void
}

export function createQuarantineFlag(db: Database): QuarantineFlag {
  let isUp: boolean | null = null
  return {
    get isUp() {
      return (isUp ??= countQuarantined(db) > 0)
    },
    raise: () => (isUp = true),
    look: () => (isUp = null),
  }
}
