// The embedded Store: bytes in `cairn.db`, one copy per (kind, hash). Reads use the caller's connection, writes the
// Writer. A resolved commit is on disk and visible to the next read.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/sqlite.ts'
import { createTurnReads } from '../db/turn-reads.ts'
import type { Statement, Writer } from '../db/writer.ts'
import { leavesByPut } from './leaves-by-put.ts'
import { createQuarantineFlag } from './quarantine-rows.ts'
import { type ContentRef, isSameRef, type UnverifiedItem } from './ref.ts'
import { readFound } from './read-found.ts'
import type { Batch, Store } from './store.ts'
import { withRows } from './with-rows.ts'

const findSql = `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = content.body
  WHERE content.kind = ? AND content.hash = ?`
const findQuarantinedSql = `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = -content.body
  WHERE content.kind = ? AND content.hash = ? AND content.body < 0`
const isQuarantinedSql = 'SELECT 1 FROM content WHERE kind = ? AND hash = ? AND body < 0'
const hasSql = 'SELECT 1 AS present FROM content WHERE kind = ? AND hash = ? AND body > 0'
const absent = 'NOT EXISTS (SELECT 1 FROM content WHERE kind = ?2 AND hash = ?3 AND body > 0)'
/** The body of a copy in quarantine goes by a trigger. */
const replaceQuarantined =
  'ON CONFLICT (kind, hash) DO UPDATE SET body = excluded.body WHERE content.body < 0'

/** `bytesDb`: a second connection, for the bytes, that only this store reads through; null: `db` serves. */
export function createSqliteStore(parts: {
  readonly db: Database
  readonly bytesDb?: Database | null
  readonly writer: Writer
  /** See `createTurnReads`. */
  readonly onFailure?: (error: unknown) => void
}): Store {
  const { db, bytesDb = null, writer, onFailure } = parts
  const turnReads = bytesDb === null ? null : createTurnReads(bytesDb, onFailure)

  const quarantineFlag = createQuarantineFlag(db)

  const has = (ref: ContentRef): boolean => db.getValue(hasSql, [ref.kind, ref.hash]) !== null

  /** Looked for and not found in this turn of the event loop, where one miss is looked for again and again. */
  let absent: ContentRef | null = null

  function noteAbsent(ref: ContentRef): void {
    // A tick scheduled by a microtask runs after all microtasks, before messages of other threads.
    if (absent === null) queueMicrotask(() => process.nextTick(() => (absent = null)))
    absent = ref
  }

  function find(ref: ContentRef): Uint8Array | null {
    if (absent !== null && isSameRef(absent, ref)) return null
    const bytes = (turnReads ?? db).getValue<Uint8Array>(findSql, [ref.kind, ref.hash])
    if (bytes === null) noteAbsent(ref)
    return bytes
  }

  function readAgain(sql: string, { kind, hash }: ContentRef): Uint8Array | null {
    turnReads?.renew()
    const reads = bytesDb ?? db
    reads.forgetPages()
    return reads.getValue<Uint8Array>(sql, [kind, hash])
  }

  return {
    find,
    has,
    read: (refs, signal) => readFound(find, refs, signal),
    async commit(items, rows = []) {
      const changes = await withRows(items.flatMap(keepItem), rows, writer.write)
      absent = null
      return changes
    },
    batch: () => createBatch(writer, has, () => (absent = null)),
    findAgain: (ref) => readAgain(findSql, ref),
    findQuarantined: (ref) =>
      db.getValue(isQuarantinedSql, [ref.kind, ref.hash]) === null
        ? null
        : readAgain(findQuarantinedSql, ref),
    async quarantine({ kind, hash }) {
      quarantineFlag.raise()
      await writer.write([
        {
          sql: 'UPDATE content SET body = -body WHERE kind = ? AND hash = ? AND body > 0',
          parameters: [kind, hash],
        },
      ])
      turnReads?.renew()
    },
    async release({ kind, hash }) {
      await writer.write([
        {
          sql: 'UPDATE content SET body = -body WHERE kind = ? AND hash = ? AND body < 0',
          parameters: [kind, hash],
        },
      ])
      absent = null
    },
    quarantineFlag,
  }
}

function keepItem({ ref, bytes }: UnverifiedItem): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO body (bytes) SELECT ?1 WHERE ${absent}`,
      parameters: [bytes, ref.kind, ref.hash],
    },
    {
      sql: `INSERT INTO content (kind, hash, body) SELECT ?, ?, last_insert_rowid() WHERE changes() = 1
        ${replaceQuarantined}`,
      parameters: [ref.kind, ref.hash],
    },
  ]
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
    if (fresh.length > 0) await writer.write(fresh.flatMap((item) => stageItem(id, item)))
  }

  return {
    id,
    put,
    leaves: (cut, onLeaf) => leavesByPut(cut, onLeaf, put),
    async commit(rows = []) {
      mustBeOpen()
      const changes = await withRows(publish(id), rows, writer.write)
      onCommit()
      state = 'committed'
      return changes
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      await deleteStaged(writer, { sql: 'batch = ?1', parameters: [id] })
    },
  }
}

function stageItem(batch: string, { ref, bytes }: UnverifiedItem): readonly Statement[] {
  return [
    {
      sql: `INSERT INTO body (bytes) SELECT ?1 WHERE ${absent}
        AND NOT EXISTS (SELECT 1 FROM staged_content WHERE batch = ?4 AND kind = ?2 AND hash = ?3)`,
      parameters: [bytes, ref.kind, ref.hash, batch],
    },
    {
      sql: `INSERT INTO staged_content (batch, kind, hash, body)
        SELECT ?, ?, ?, last_insert_rowid() WHERE changes() = 1`,
      parameters: [batch, ref.kind, ref.hash],
    },
  ]
}

// Content stored by another writer meanwhile stays; the staged duplicate is removed.
function publish(batch: string): readonly Statement[] {
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

/** Deletes open batches left by a crash. Only at the start of a server, before any batch is open. */
export async function discardStaged(writer: Writer): Promise<void> {
  await deleteStaged(writer, { sql: '1 = 1', parameters: [] })
}

// In steps, so that giving up a large upload does not hold the writer for long.
const stepRows = 64

async function deleteStaged(
  writer: Writer,
  where: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  const order = 'ORDER BY batch, kind, hash'
  const { parameters } = where
  let deleted = stepRows
  while (deleted === stepRows) {
    const [, rows = 0] = await writer.write([
      {
        sql: `DELETE FROM body WHERE id IN
          (SELECT body FROM staged_content WHERE ${where.sql} ${order} LIMIT ${stepRows})`,
        parameters,
      },
      {
        sql: `DELETE FROM staged_content WHERE (batch, kind, hash) IN
          (SELECT batch, kind, hash FROM staged_content WHERE ${where.sql} ${order} LIMIT ${stepRows})`,
        parameters,
      },
    ])
    deleted = rows
  }
}
