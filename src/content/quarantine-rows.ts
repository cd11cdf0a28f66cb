// Quarantined copies: they failed verification more than once. They are not served, but their bytes remain, because there may be no
// source with the content.
// Tested by src/content/quarantine-check.test.ts
import type { Database } from '../db/sqlite.ts'
import {
  countQuarantined,
  listQuarantinedBlocks,
  listQuarantinedContent,
} from '../tables/quarantine.ts'
import type { ContentKind, ContentRef } from './ref.ts'

/** Position of an iteration over them. */
export type QuarantinePlace = { readonly block: number; readonly body: number }

export const beforeQuarantine: QuarantinePlace = { block: 0, body: Number.MIN_SAFE_INTEGER }

/** The next ones, at most `max` per table. `next` null: there are no more. */
export function listQuarantined(
  db: Database,
  after: QuarantinePlace,
  max: number,
): { readonly refs: readonly ContentRef[]; readonly next: QuarantinePlace | null } {
  const blocks = listQuarantinedBlocks(db, after.block, max)
  const others = listQuarantinedContent(db, after.body, max)
  const refs = [
    ...blocks.map(({ hash }) => ({ kind: 'dag-block', hash }) as const),
    ...others.map(({ kind, hash }) => ({ kind: kind as ContentKind, hash })),
  ]
  if (blocks.length < max && others.length < max) return { refs, next: null }
  const next = {
    block: blocks.at(-1)?.id ?? after.block,
    body: others.at(-1)?.body ?? after.body,
  }
  return { refs, next }
}

/** Whether any copy is quarantined, as far as this process knows: if none is, a miss does not look for a quarantined copy. */
export type QuarantineFlag = {
  readonly isUp: boolean
  /** Call when a copy was quarantined. */
  raise(): void
  /** Reads the rows, because another process may have quarantined copies. */
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
