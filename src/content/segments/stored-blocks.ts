// Every block in the segments, one after the other, for a check of the whole store; also while a server runs.
// Tested by src/cli/store-verify.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { FileOps } from '../file-ops.ts'
import type { Copy } from '../stored-copies.ts'
import { findPlace, lostFile, type BlockForm, type BlockPlace } from './block-index.ts'
import { readBlock } from './block-reader.ts'
import { createOpenFiles } from './open-files.ts'
import { openSegmentFolder } from './segment-folder.ts'

const stepRows = 256
const stepSql = `SELECT id, hash, file, at, bytes, form, size FROM block
  WHERE id > ? AND file <> ${lostFile} ORDER BY id LIMIT ${stepRows}`
const filesMax = 64

/** In the order in which they came. Bytes that cannot be read are null. */
export async function* listBlocks(db: Database, ops: FileOps, path: string): AsyncGenerator<Copy> {
  if (countBlocks(db) === 0) return
  const folder = openSegmentFolder({ ops, path, bytesMax: null, otherBytes: () => 0 })
  const files = createOpenFiles({ ops, pathOf: folder.pathOf, filesMax })
  /** A server may have moved it since its row was read. */
  const bytesOf = (hash: Uint8Array, place: BlockPlace): Uint8Array | null => {
    try {
      return readBlock(files, place)
    } catch {
      const now = findPlace(db, hash)
      const moved = now !== null && (now.file !== place.file || now.at !== place.at)
      return moved ? bytesOf(hash, now) : null
    }
  }
  try {
    let last = 0
    for (;;) {
      const rows = db.all<BlockPlace & { id: number; hash: Uint8Array; form: BlockForm }>(stepSql, [
        last,
      ])
      for (const row of rows) {
        yield { ref: { kind: 'dag-block', hash: row.hash }, bytes: bytesOf(row.hash, row) }
      }
      const end = rows.at(-1)
      if (end === undefined) return
      last = end.id
    }
  } finally {
    await files.close()
  }
}

/** None in a database of an earlier version. */
export function countBlocks(db: Database): number {
  const known = db.getValue(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'block'`)
  if (known === null) return 0
  return db.getValue<number>(`SELECT count(*) FROM block WHERE file <> ${lostFile}`) ?? 0
}
