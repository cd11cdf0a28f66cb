// Migration: moves file blocks that an earlier version stored in rows to the segments, in steps, before the server
// serves requests. Each step is one commit, so an interrupted start continues where it stopped.
// Tested by src/content/segments/move-blocks.test.ts
import type { Log } from '../../base/log.ts'
import type { Database } from '../../db/sqlite.ts'
import {
  countBlockBodies,
  deleteBlockBodies,
  findBody,
  listBlockBodies,
  type BlockBodyRow,
} from '../../tables/content.ts'
import type { BlockStore } from '../block-store.ts'

/** Rows and bytes of one step; one block alone may be larger. */
const stepRows = 256
const stepBytes = 16 * 1024 * 1024
const stepsPerLine = 256

/** Resolves with the number of blocks. `store`: the target; a block that fails verification is moved unchanged. */
export async function moveBlocks(parts: {
  readonly db: Database
  readonly store: Pick<BlockStore, 'put'>
  readonly log: Log
}): Promise<number> {
  const { db, store, log } = parts
  const total = countBlockBodies(db)
  if (total === 0) return 0
  log('info', 'blocks_moving', { blocks: total })
  let moved = 0
  for (let step = 1; ; step += 1) {
    const rows = upTo(stepBytes, listBlockBodies(db, stepRows))
    if (rows.length === 0) break
    const items = rows.flatMap(({ hash, body }) => {
      const bytes = body === null ? null : findBody(db, body)
      return bytes === null ? [] : [{ ref: { kind: 'dag-block' as const, hash }, bytes }]
    })
    await store.put(items, deleteBlockBodies(rows))
    moved += rows.length
    if (step % stepsPerLine === 0) log('info', 'blocks_moving', { moved, blocks: total })
  }
  log('info', 'blocks_moved', { blocks: moved })
  return moved
}

function upTo(bytesMax: number, rows: readonly BlockBodyRow[]): readonly BlockBodyRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => (bytes += row.bytes ?? 0) > bytesMax && index > 0)
  return end === -1 ? rows : rows.slice(0, end)
}
