// Removes unused objects: those that no commit completed, and those whose blocks were deleted or moved out of mostly dead objects.
// An object is first marked dead, then removed after a delay, when no reader uses it any more, and once more a week later, because
// a machine that was paused may store it after its removal. Only one machine does this at a time, through rows whose writes fail if
// another machine has taken over (db/fenced-rows.ts).
// Tested by test/files/object-collection.test.ts
import type { Clock } from '../../base/clock.ts'
import type { DutyCycle } from '../../base/duty-cycle.ts'
import { hasCode } from '../../base/fault.ts'
import type { Log } from '../../base/log.ts'
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { joinBytes } from '../../codec/ipld/protobuf.ts'
import { verifyDagBlock } from '../../codec/ipld/verify-dag-block.ts'
import type { Rows } from '../../db/rows.ts'
import type { Statement } from '../../db/writer.ts'
import { type BlockRow, dagPbLeaf, quarantineBlock } from '../../tables/blocks.ts'
import { listBlocksOf, moveObjectBlocks } from '../../tables/objects/object-blocks.ts'
import {
  deleteEndedLeases,
  deleteSegments,
  findSegmentSizes,
  listQuietSegments,
  listRemovableSegments,
  markEmpty,
  markOrphans,
  markRemoved,
  publishSegment,
  unstageEnded,
} from '../../tables/objects/object-segments.ts'
import type { CollectedSegments, Freed, LiveBlocks } from '../block-store.ts'
import type { ObjectGroups } from './object-groups.ts'
import type { ObjectReads } from './object-reads.ts'
import type { ObjectStore } from './object-store.ts'
import { objectName } from './range-cache.ts'
import { orphanGraceMs, writingMs } from './segment-ids.ts'

/** Objects with a smaller share of live bytes are rewritten. */
const liveShareMax = 0.5
/** Segments with a more recent commit are skipped: their blocks may not have been counted. */
const quietMs = 600_000
/** Segments that one collection reads; the next one continues. */
const sealedMax = 100_000
const pageRows = 1000
const sizesAtOnce = 256
/** Limits of one move. */
const moveRows = 256
const moveBytes = 4 * 1024 * 1024
/** An object is removed once more after this time, because a machine that was paused may have stored it after its removal. */
const lateMs = 7 * 24 * 3_600_000
/** Leases are deleted this long after they expire. */
const endedMs = 30 * 24 * 3_600_000

type Pace = { readonly dutyCycle: DutyCycle; readonly signal: AbortSignal }

export type ObjectSegmentsParts = {
  readonly rows: Rows
  readonly objects: Pick<ObjectStore, 'remove'>
  readonly groups: ObjectGroups
  readonly reads: Pick<ObjectReads, 'readPlace'>
  readonly deleteDelayMs: number
  /** Called when a block was quarantined, to drop its cached place. */
  readonly onQuarantine: (hash: Uint8Array) => void
  readonly clock: Clock
  readonly log: Log
}

export function createObjectSegments(parts: ObjectSegmentsParts): CollectedSegments {
  const { rows, objects, deleteDelayMs, clock } = parts
  /** Position at which the last list of segments ended, and when that list began. */
  let listedTo = 0
  let listedAt = clock.monotonic()

  /** Repeats the statement as long as it changes the maximum number of rows. */
  async function writeAll(statement: Statement, dutyCycle: DutyCycle, signal: AbortSignal) {
    let changed = pageRows
    while (changed === pageRows) {
      signal.throwIfAborted()
      ;[changed = 0] = await dutyCycle.step(1, () => rows.write([statement]), signal)
    }
  }

  /** Removes the objects of segments in this state, then updates their rows with `next`. */
  async function removeAll(
    state: 'dead' | 'removed',
    delayMs: number,
    next: (ids: readonly number[]) => Statement,
    { dutyCycle, signal }: Pace,
  ): Promise<Freed> {
    const freed = { segments: 0, bytes: 0 }
    for (;;) {
      signal.throwIfAborted()
      const found = await rows.find(listRemovableSegments(state, delayMs, pageRows))
      const ids = found.map(({ id }) => id)
      if (ids.length > 0) {
        await objects.remove(ids.map(objectName), signal)
        await dutyCycle.step(1, () => rows.write([next(ids)]), signal)
      }
      freed.segments += ids.length
      freed.bytes += found.reduce((sum, { bytes }) => sum + bytes, 0)
      if (ids.length < pageRows) return freed
    }
  }

  /** Segments with less than half of their bytes alive. */
  async function listMostlyDead(
    sealed: ReadonlySet<number>,
    live: ReadonlyMap<number, LiveBlocks>,
  ): Promise<readonly number[]> {
    const candidates = [...live.keys()].filter((id) => sealed.has(id))
    const found: number[] = []
    for (let at = 0; at < candidates.length; at += sizesAtOnce) {
      for (const { id, bytes } of await rows.find(
        findSegmentSizes(candidates.slice(at, at + sizesAtOnce)),
      )) {
        if ((live.get(id)?.bytes ?? 0) < bytes * liveShareMax) found.push(id)
      }
    }
    return found
  }

  return {
    async sealed() {
      const sealed = new Set<number>()
      listedAt = clock.monotonic()
      while (sealed.size < sealedMax) {
        const page = await rows.find(listQuietSegments(listedTo, quietMs, pageRows))
        for (const { id } of page) sealed.add(id)
        listedTo = page.at(-1)?.id ?? 0
        if (page.length < pageRows) {
          listedTo = 0
          break
        }
      }
      return sealed
    },
    async free(sealed, live, dutyCycle, signal) {
      const empty = [...sealed].filter((id) => !live.has(id))
      // Must be unchanged since before the list: a slow count of live blocks may have missed a later commit.
      const unchangedMs = Math.ceil(quietMs + clock.monotonic() - listedAt)
      for (let at = 0; at < empty.length; at += pageRows) {
        signal.throwIfAborted()
        const step = markEmpty(empty.slice(at, at + pageRows), unchangedMs)
        await dutyCycle.step(1, () => rows.write([step]), signal)
      }
      for (const id of await listMostlyDead(sealed, live)) {
        const blocks = live.get(id)
        if (blocks !== undefined) await moveBlocks(parts, id, blocks, dutyCycle, signal)
      }
      await writeAll(markOrphans(orphanGraceMs, writingMs, pageRows), dutyCycle, signal)
      await writeAll(unstageEnded(orphanGraceMs, pageRows), dutyCycle, signal)
      await dutyCycle.step(1, () => rows.write([deleteEndedLeases(endedMs)]), signal)
      const pace = { dutyCycle, signal }
      await removeAll('removed', lateMs, deleteSegments, pace)
      return await removeAll('dead', deleteDelayMs, markRemoved, pace)
    },
  }
}

/** Moves the live blocks; the next collection finds the old segment empty, unless a copy could not be moved. */
async function moveBlocks(
  parts: ObjectSegmentsParts,
  id: number,
  { first, last }: LiveBlocks,
  dutyCycle: DutyCycle,
  signal: AbortSignal,
): Promise<void> {
  for (let after = first - 1; ;) {
    signal.throwIfAborted()
    const page = await parts.rows.find(listBlocksOf(id, { after, last }, moveRows))
    for (let from = 0; from < page.length;) {
      let bytes = 0
      let to = from
      while (to < page.length && (to === from || bytes + (page[to]?.size ?? 0) <= moveBytes)) {
        bytes += page[to]?.size ?? 0
        to += 1
      }
      const step = page.slice(from, to)
      await dutyCycle.step(1, () => moveStep(parts, step, signal), signal)
      from = to
    }
    const end = page.at(-1)
    if (end === undefined || page.length < moveRows) return
    after = end.id
  }
}

async function moveStep(
  parts: ObjectSegmentsParts,
  rows: readonly BlockRow[],
  signal: AbortSignal,
): Promise<void> {
  const { groups, onQuarantine, log } = parts
  const readable: { readonly row: BlockRow; readonly block: Uint8Array }[] = []
  for (const row of rows) {
    try {
      readable.push({ row, block: await readProved(parts, row, signal) })
    } catch (error) {
      signal.throwIfAborted()
      // The bytes may be the only copy: they remain, and so does their object.
      log('error', 'object_block_not_moved', { segment: row.file, error })
      if (!hasCode(error, 'unverified')) continue
      await parts.rows.write([quarantineBlock(row.hash, row)])
      onQuarantine(row.hash)
    }
  }
  if (readable.length === 0) return
  const { segment, at } = await groups.add(readable.map(({ block }) => block))
  const moves = readable.map(({ row }, index) => ({
    from: row,
    to: { file: segment.id, at: at[index] ?? 0 },
  }))
  await parts.rows.write([publishSegment(segment), moveObjectBlocks(moves)])
}

/** Read again, past the local copy, before it is considered corrupt. */
async function readProved(
  { reads }: ObjectSegmentsParts,
  row: BlockRow,
  signal: AbortSignal,
): Promise<Uint8Array> {
  for (let again = false; ; again = true) {
    try {
      const data = await reads.readPlace(row, signal, again)
      const isLeaf = row.form === dagPbLeaf
      const block = isLeaf
        ? joinBytes([leafPrefix(data.length), data, leafSuffix(data.length)])
        : data
      verifyDagBlock(row.hash, block)
      return block
    } catch (error) {
      if (again) throw error
    }
  }
}
