// Iterates over every block in the segments, for a check of the whole store; a server may be running.
// Tested by src/cli/commands/store-verify.test.ts
import type { Database } from '../../db/sqlite.ts'
import type { FileOps } from '../file-ops.ts'
import type { Copy } from '../stored-copies.ts'
import {
  countBlocks,
  findPlace,
  findQuarantinedPlace,
  listBlocksAfter,
  type BlockPlace,
} from '../../tables/blocks.ts'
import { readBlock } from './find-blocks.ts'
import { createOpenFiles } from './open-files.ts'
import { openSegmentFolder } from './segment-folder.ts'

const stepRows = 256
const filesMax = 64

/** In order of their rows. Bytes that cannot be read are null. */
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
  /** A server may have moved the block since its row was read. */
  const again = (hash: Uint8Array): Uint8Array | null => {
    db.forgetPages()
    const place = findPlace(db, hash) ?? findQuarantinedPlace(db, hash)
    return place === null ? null : readBlock(files, place)
  }
  try {
    let last = 0
    for (;;) {
      const rows = listBlocksAfter(db, last, stepRows)
      for (const row of rows) {
        yield {
          ref: { kind: 'dag-block', hash: row.hash },
          bytes: bytesOf({ ...row, file: Math.abs(row.file) }),
          isQuarantined: row.file < 0,
          again: () => again(row.hash),
        }
      }
      const end = rows.at(-1)
      if (end === undefined) return
      last = end.id
    }
  } finally {
    await files.close()
  }
}
