// The BlockStore of an embedded chain: bytes in `cairn.db`, one copy per (kind, hash). Reads use the caller's connection, writes
// the Writer. Content of a resolved `put` is on disk and visible to the next read.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/sqlite.ts'
import { createTurnReads } from '../db/turn-reads.ts'
import { type Writer, withRows } from '../db/writer.ts'
import {
  findContent,
  findQuarantinedContent,
  hasContent,
  insertContent,
  isContentQuarantined,
  publishStagedContent,
  quarantineContent,
  releaseContent,
  stageContent,
  unstageContent,
  unstageContentRows,
} from '../tables/content.ts'
import { leavesByPut } from './leaves-by-put.ts'
import { createQuarantineFlag, type QuarantineFlag } from './quarantine-rows.ts'
import { type ContentRef, type UnverifiedItem, isSameRef } from './ref.ts'
import { readFound } from './read-found.ts'
import type { Batch, CopyChoice, LocalStore } from './block-store.ts'

export type SqliteStore = LocalStore & { readonly quarantineFlag: QuarantineFlag }

/** `bytesDb`: a second connection that only this store uses to read bytes; null: `db` is used. */
export function createSqliteStore(parts: {
  readonly db: Database
  readonly bytesDb?: Database | null
  readonly writer: Writer
  /** See `createTurnReads`. */
  readonly onFailure?: (error: unknown) => void
}): SqliteStore {
  const { db, bytesDb = null, writer, onFailure } = parts
  const turnReads = bytesDb === null ? null : createTurnReads(bytesDb, onFailure)

  const quarantineFlag = createQuarantineFlag(db)

  const has = (ref: ContentRef): boolean => hasContent(db, ref.kind, ref.hash)

  /** The last ref that was not found in this turn of the event loop, in which a missing ref is often looked up repeatedly. */
  let absent: ContentRef | null = null

  function noteAbsent(ref: ContentRef): void {
    // A tick scheduled by a microtask runs after all microtasks, before messages of other threads.
    if (absent === null) queueMicrotask(() => process.nextTick(() => (absent = null)))
    absent = ref
  }

  function find(ref: ContentRef): Uint8Array | null {
    if (absent !== null && isSameRef(absent, ref)) return null
    const bytes = findContent(turnReads ?? db, ref.kind, ref.hash)
    if (bytes === null) noteAbsent(ref)
    return bytes
  }

  function readAgain(read: typeof findContent, { kind, hash }: ContentRef): Uint8Array | null {
    turnReads?.renew()
    const reads = bytesDb ?? db
    reads.forgetPages()
    return read(reads, kind, hash)
  }

  function peek(ref: ContentRef, copy?: CopyChoice): Uint8Array | null {
    if (copy === undefined) return find(ref)
    if (copy === 'reread') return readAgain(findContent, ref)
    const isQuarantined = isContentQuarantined(db, ref.kind, ref.hash)
    return isQuarantined ? readAgain(findQuarantinedContent, ref) : null
  }

  return {
    get: async (ref, copy) => peek(ref, copy),
    peek,
    has: async (ref) => has(ref),
    read: (refs, signal) => readFound(find, refs, signal),
    async put(items, rows = []) {
      const changes = await withRows(
        items.flatMap(({ ref, bytes }) => insertContent(ref.kind, ref.hash, bytes)),
        rows,
        writer.write,
      )
      absent = null
      return changes
    },
    batch: () => createBatch(writer, has, () => (absent = null)),
    async quarantine({ kind, hash }) {
      quarantineFlag.raise()
      await writer.write([quarantineContent(kind, hash)])
      turnReads?.renew()
    },
    async release({ kind, hash }) {
      await writer.write([releaseContent(kind, hash)])
      absent = null
    },
    quarantineFlag,
  }
}

function createBatch(
  writer: Writer,
  has: (ref: ContentRef) => boolean,
  onCommit: () => void,
): Batch {
  const id = randomUUID()
  let state: 'open' | 'committed' | 'discarded' = 'open'

  function mustBeOpen(): void {
    if (state !== 'open') throw new Error(`batch already ${state}`)
  }

  async function put(items: readonly UnverifiedItem[]): Promise<void> {
    mustBeOpen()
    const fresh = items.filter((item) => !has(item.ref))
    if (fresh.length === 0) return
    await writer.write(
      fresh.flatMap(({ ref, bytes }) => stageContent(id, ref.kind, ref.hash, bytes)),
    )
  }

  return {
    id,
    put,
    leaves: (cut, onLeaf) => leavesByPut(cut, onLeaf, put),
    async commit(rows = []) {
      mustBeOpen()
      const changes = await withRows(publishStagedContent(id), rows, writer.write)
      onCommit()
      state = 'committed'
      return changes
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      await deleteStaged(writer, id)
    },
  }
}

/** Deletes open batches left by a crash. Only at the start of a server, before any batch is open. */
export async function discardStaged(writer: Writer): Promise<void> {
  await deleteStaged(writer, null)
}

async function deleteStaged(writer: Writer, batch: string | null): Promise<void> {
  let deleted = unstageContentRows
  while (deleted === unstageContentRows) {
    const [, rows = 0] = await writer.write(unstageContent(batch))
    deleted = rows
  }
}
