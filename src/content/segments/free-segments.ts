// Gives disk space back: a sealed segment without living blocks is removed; what lives in one that is mostly dead is
// read, proved and written to the log that grows, then its rows point there, then the segment is removed. Whatever is cut
// short is dead space at worst, and the next time goes on.
// Tested by src/content/segments/free-segments.test.ts
import type { Pace } from '../../base/pace.ts'
import { hasCode } from '../../base/fault.ts'
import { leafPrefix, leafSuffix } from '../../codec/leaf-frame.ts'
import { joinBytes } from '../../codec/protobuf.ts'
import { verifyDagBlock } from '../../codec/verify-dag-block.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { Freed, LiveBlocks } from '../store.ts'
import { dagPbLeaf, dropBlock, moveBlocksTo, type BlockRow } from './block-index.ts'
import type { LogWriter } from './log-writer.ts'
import type { OpenFiles } from './open-files.ts'
import type { SegmentFolder } from './segment-folder.ts'

/** Less alive than this share of its bytes: it is worth the copy. */
const liveShareMax = 0.5
/** Rows that one look goes through, and what one write moves: a millisecond or two each. */
const lookRows = 500
const stepRows = 100
const stepBytes = 256 * 1024

export type FreeParts = {
  readonly db: Database
  readonly writer: Pick<Writer, 'write'>
  readonly folder: SegmentFolder
  readonly files: OpenFiles
  readonly log: Pick<LogWriter, 'append'>
  /** Nobody writes to it any more: what is open of it for writing is closed. */
  readonly closeWritten: (id: number) => Promise<void>
  readonly pace: Pace
}

/** `live`: what lives in each of `sealed`, at least; none of them can gain a block. */
export async function freeSegments(
  parts: FreeParts,
  sealed: ReadonlySet<number>,
  live: ReadonlyMap<number, LiveBlocks>,
  signal: AbortSignal,
): Promise<Freed> {
  const { folder, files, closeWritten, pace } = parts
  const freed = { segments: 0, bytes: 0 }
  const mostlyDead = folder.files().filter(({ id, bytes }) => {
    const alive = live.get(id)?.bytes ?? 0
    return sealed.has(id) && alive <= bytes * liveShareMax
  })
  // Those that are all dead first: they need no room.
  const inOrder = mostlyDead.toSorted((one, other) => aliveIn(one.id) - aliveIn(other.id))
  for (const { id, bytes } of inOrder) {
    signal.throwIfAborted()
    const blocks = live.get(id)
    if (blocks !== undefined) await moveBlocks(parts, id, blocks, signal)
    const remove = async (): Promise<void> => {
      files.forget(id)
      await closeWritten(id)
      await folder.remove(id)
    }
    await pace.step(0, remove, signal)
    freed.segments += 1
    freed.bytes += bytes - (blocks?.bytes ?? 0)
  }
  return freed

  function aliveIn(id: number): number {
    return live.get(id)?.bytes ?? 0
  }
}

/** Everything that lives in a segment, to the log. */
async function moveBlocks(
  parts: FreeParts,
  file: number,
  { first, last }: LiveBlocks,
  signal: AbortSignal,
): Promise<void> {
  const { db, pace } = parts
  for (let after = first - 1; after < last;) {
    const end =
      db.getValue<number>(
        `SELECT id FROM block WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${lookRows - 1}`,
        [after],
      ) ?? last
    const rows = db.all<BlockRow>(
      `SELECT hash, file, at, bytes, form, size FROM block
        WHERE id > ? AND id <= ? AND file = ? ORDER BY id`,
      [after, Math.min(end, last), file],
    )
    for (let from = 0; from < rows.length;) {
      signal.throwIfAborted()
      let bytes = 0
      let to = from
      while (to < rows.length && (to === from || fits(bytes + (rows[to]?.size ?? 0), to - from))) {
        bytes += rows[to]?.size ?? 0
        to += 1
      }
      await pace.step(1, () => moveStep(parts, rows.slice(from, to)), signal)
      from = to
    }
    after = end
  }
}

const fits = (bytes: number, rows: number): boolean => bytes <= stepBytes && rows < stepRows

async function moveStep(
  { writer, files, log }: FreeParts,
  rows: readonly BlockRow[],
): Promise<void> {
  const good: { readonly row: BlockRow; readonly block: Uint8Array }[] = []
  for (const row of rows) {
    const block = await readProved(files, row)
    if (block === null) await writer.write(dropBlock(row.hash))
    else good.push({ row, block })
  }
  if (good.length === 0) return
  const records = good.map(
    ({ row, block }) => ({ kind: 'object', key: row.hash, payload: block }) as const,
  )
  const places = await log.append(records, true)
  await writer.write([
    moveBlocksTo(
      good.flatMap(({ row }, index) => {
        const place = places[index]
        return place === undefined ? [] : [{ from: row, to: place }]
      }),
    ),
  ])
}

/** Null: its bytes are wrong. Throws what the system says when they can not be read. */
async function readProved(
  files: OpenFiles,
  { hash, file, at, bytes, form }: BlockRow,
): Promise<Uint8Array | null> {
  const data = new Uint8Array(bytes)
  if ((await files.read(file, data, at)) < bytes) return null
  const block = form === dagPbLeaf ? joinBytes([leafPrefix(bytes), data, leafSuffix(bytes)]) : data
  try {
    verifyDagBlock(hash, block)
    return block
  } catch (thrown) {
    if (hasCode(thrown, 'unverified')) return null
    throw thrown
  }
}
