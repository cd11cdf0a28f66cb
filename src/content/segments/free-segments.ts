// Frees disk space by removing sealed segments without live blocks. Live blocks of a mostly dead segment are read, verified,
// written to the current log and re-indexed, then the segment is removed. An interruption leaves at worst dead space, which the
// next run frees.
// Tested by src/content/segments/free-segments.test.ts
import type { DutyCycle } from '../../base/duty-cycle.ts'
import { Fault, hasCode } from '../../base/fault.ts'
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { joinBytes } from '../../codec/ipld/protobuf.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import { findOne } from '../../db/sqlite-rows.ts'
import type { Database } from '../../db/sqlite.ts'
import type { Writer } from '../../db/writer.ts'
import type { Freed, LiveBlocks } from '../block-store.ts'
import { findLastBlockOfScan } from '../../tables/block-scans.ts'
import {
  dagPbLeaf,
  hasQuarantinedIn,
  listBlocksIn,
  moveBlocksTo,
  quarantineBlock,
  type BlockRow,
} from '../../tables/blocks.ts'
import type { LogWriter } from './log-writer.ts'
import type { OpenFiles } from './open-files.ts'
import type { SegmentFolder } from './segment-folder.ts'

/** Segments with at most this share of live bytes are rewritten. */
const liveShareMax = 0.5
/** Rows per read, and blocks per write: a millisecond or two each. */
const lookRows = 500
const stepRows = 100
const stepBytes = 256 * 1024
/** Number of reads of a block before its copy is considered corrupt. */
const readsMax = 3

export type FreeParts = {
  readonly db: Database
  readonly writer: Pick<Writer, 'write'>
  readonly folder: SegmentFolder
  readonly files: OpenFiles
  readonly log: Pick<LogWriter, 'append'>
  /** Closes the write descriptors of a segment without writers. */
  readonly closeWritten: (id: number) => Promise<void>
  readonly dutyCycle: DutyCycle
  /** Called when a block was quarantined, to drop its cached location. */
  readonly onQuarantine: (hash: Uint8Array) => void
}

/** `live`: an upper bound of the live bytes of each segment in `sealed`; none of them can gain a block. */
export async function freeSegments(
  parts: FreeParts,
  sealed: ReadonlySet<number>,
  live: ReadonlyMap<number, LiveBlocks>,
  signal: AbortSignal,
): Promise<Freed> {
  const { db, folder, files, closeWritten, dutyCycle } = parts
  const freed = { segments: 0, bytes: 0 }
  const mostlyDead = folder.files().filter(({ id, bytes }) => {
    const alive = live.get(id)?.bytes ?? 0
    return sealed.has(id) && alive <= bytes * liveShareMax
  })
  // Segments without live blocks first, because removing them needs no space.
  const inOrder = mostlyDead.toSorted((one, other) => aliveIn(one.id) - aliveIn(other.id))
  for (const { id, bytes } of inOrder) {
    signal.throwIfAborted()
    const blocks = live.get(id)
    const isEmpty = blocks === undefined || (await moveBlocks(parts, id, blocks, signal))
    // The remaining blocks have no other copy.
    if (!isEmpty || hasQuarantinedIn(db, id)) continue
    const remove = async (): Promise<void> => {
      files.forget(id)
      await closeWritten(id)
      await folder.remove(id)
    }
    await dutyCycle.step(0, remove, signal)
    freed.segments += 1
    freed.bytes += bytes - (blocks?.bytes ?? 0)
  }
  return freed

  function aliveIn(id: number): number {
    return live.get(id)?.bytes ?? 0
  }
}

/** Moves all live blocks of a segment to the log. False: a block cannot be read and remains. */
async function moveBlocks(
  parts: FreeParts,
  file: number,
  { first, last }: LiveBlocks,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, dutyCycle } = parts
  let isEmpty = true
  for (let after = first - 1; after < last;) {
    const end = findOne(db, findLastBlockOfScan(after, lookRows))?.id ?? last
    const rows = listBlocksIn(db, file, { after, last: Math.min(end, last) })
    for (let from = 0; from < rows.length;) {
      signal.throwIfAborted()
      let bytes = 0
      let to = from
      while (to < rows.length && (to === from || fits(bytes + (rows[to]?.size ?? 0), to - from))) {
        bytes += rows[to]?.size ?? 0
        to += 1
      }
      const step = rows.slice(from, to)
      isEmpty = (await dutyCycle.step(1, () => moveStep(parts, step), signal)) && isEmpty
      from = to
    }
    after = end
  }
  return isEmpty
}

const fits = (bytes: number, rows: number): boolean => bytes <= stepBytes && rows < stepRows

/** False: a block cannot be read or is corrupt, and remains. */
async function moveStep(
  { writer, files, log, onQuarantine }: FreeParts,
  rows: readonly BlockRow[],
): Promise<boolean> {
  const readable: { readonly row: BlockRow; readonly block: Uint8Array }[] = []
  for (const row of rows) {
    const block = await readProved(files, row)
    if (block instanceof Uint8Array) readable.push({ row, block })
    else if (block === 'wrong') {
      await writer.write([quarantineBlock(row.hash, row)])
      onQuarantine(row.hash)
    }
  }
  if (readable.length === 0) return rows.length === 0
  const records = readable.map(
    ({ row, block }) => ({ kind: 'object', key: row.hash, payload: block }) as const,
  )
  const places = await log.append(records, true)
  await writer.write([
    moveBlocksTo(
      readable.flatMap(({ row }, index) => {
        const place = places[index]
        return place === undefined ? [] : [{ from: row, to: place }]
      }),
    ),
  ])
  return readable.length === rows.length
}

/** Reads again before a block is considered corrupt or unreadable. */
async function readProved(
  files: OpenFiles,
  row: BlockRow,
): Promise<Uint8Array | 'wrong' | 'unreadable'> {
  let failure: 'wrong' | 'unreadable' = 'wrong'
  for (let read = 0; read < readsMax; read += 1) {
    try {
      return await readOnce(files, row)
    } catch (thrown) {
      failure = hasCode(thrown, 'unverified') ? 'wrong' : 'unreadable'
    }
  }
  return failure
}

/** Throws `unverified`, or the system's error if the block cannot be read. */
async function readOnce(
  files: OpenFiles,
  { hash, file, at, bytes, form }: BlockRow,
): Promise<Uint8Array> {
  const data = new Uint8Array(bytes)
  if ((await files.read(file, data, at)) < bytes) throw new Fault('unverified')
  const block = form === dagPbLeaf ? joinBytes([leafPrefix(bytes), data, leafSuffix(bytes)]) : data
  verifyDagBlock(hash, block)
  return block
}
