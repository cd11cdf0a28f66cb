// Every block in the segments, one after the other, for a check of the whole store; also while a server runs.
// Tested by src/cli/store-verify.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { FileOps } from '../file-ops.ts'
import type { Copy } from '../stored-copies.ts'
import { type BlockForm, type BlockPlace, lostFile } from './block-index.ts'
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
  const bytesOf = (place: BlockPlace): Uint8Array | null => {
    try {
      return readBlock(files, place)
    } catch {
      return null
    }
  }
  try {
    let last = 0
    for (;;) {
      const rows = db.all<BlockPlace & { id: number; hash: Uint8Array; form: BlockForm }>(stepSql, [
        last,
      ])
      for (const row of rows) {
        yield { ref: { kind: 'dag-block', hash: row.hash }, bytes: bytesOf(row) }
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
