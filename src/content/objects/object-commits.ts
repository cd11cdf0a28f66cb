// Commits blocks in an order that loses nothing: first the row of the segment, then the object, then one transaction that checks
// the segment, locks the existing blocks that it relies on, and adds block rows and the caller's rows. A commit that finds a block
// collected or its segment dead writes the bytes again.
// Tested by test/files/object-blocks.test.ts
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type RowChanges, withRows } from '../../db/writer.ts'
import { type BlockRow, verbatim } from '../../tables/blocks.ts'
import {
  findPlaces,
  insertObjectBlocks,
  lockBlocks,
  lookupMax,
  stageCommitted,
} from '../../tables/objects/object-blocks.ts'
import { publishSegment } from '../../tables/objects/object-segments.ts'
import { unstage } from '../../tables/staged.ts'
import type { ObjectGroups, WrittenBlocks } from './object-groups.ts'
import type { SegmentIds } from './segment-ids.ts'

/** A block in memory that no caller will change. `trees`: trees of the batch that contain it. */
export type OwnedBlock = {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  readonly trees: ReadonlySet<number>
}

/** Blocks by `toLatin1` of their hashes. */
type OwnedBlocks = ReadonlyMap<string, OwnedBlock>

/** `batch`: ID under which the blocks are listed in `staged` for `rows`; null: `rows` do not read it. */
export type ObjectCommit = (
  blocks: OwnedBlocks,
  rows: RowChanges,
  batch: string | null,
) => Promise<readonly number[]>

/** After this many tries the object store is too slow to keep a segment alive. */
const triesMax = 3

export function createObjectCommit(parts: {
  readonly rows: Rows
  readonly groups: ObjectGroups
  readonly ids: Pick<SegmentIds, 'replace'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly onPlaces: (rows: readonly BlockRow[]) => void
}): ObjectCommit {
  const { rows: database, groups, ids, now, onPlaces } = parts

  /** Runs one transaction. `fenced`: the segment is dead; `collected`: an existing block was deleted. */
  async function write(
    written: WrittenBlocks | null,
    index: readonly BlockRow[],
    existingBlocks: readonly OwnedBlock[],
    { rows, staged, batch }: CommittedRows,
  ): Promise<readonly number[] | 'fenced' | 'collected'> {
    const before: RowChanges = [
      ...(written === null ? [] : [publishSegment(written.segment)]),
      ...(existingBlocks.length === 0 ? [] : [lockBlocks(existingBlocks.map(({ hash }) => hash))]),
      ...(index.length === 0 ? [] : [insertObjectBlocks(index, now())]),
      ...(batch === null || staged.length === 0 ? [] : [stageCommitted(batch, staged)]),
    ]
    const after = batch === null ? [] : [unstage(batch)]
    // The conditions of the caller's rows require a single writer; commits of blocks alone lock only what they need.
    const lock = rows.length === 0 ? 'none' : 'rows'
    try {
      return await withRows(before, rows, (all) => database.write(all, { lock }), after)
    } catch (error) {
      if (!(error instanceof NothingChanged) || error.index >= 0) throw error
      return before.length + error.index === 0 && written !== null ? 'fenced' : 'collected'
    }
  }

  return async (blocks, rows, batch) => {
    if (blocks.size === 0 && rows.length === 0) return []
    const all = [...blocks.values()]
    const staged = all.flatMap(({ hash, bytes, trees }) =>
      [...trees].map((tree) => ({ tree, hash, size: bytes.length })),
    )
    let existing = await findExisting(
      database,
      all.map(({ hash }) => hash),
    )
    for (let tries = 0; tries < triesMax; tries += 1) {
      const existingBlocks: OwnedBlock[] = []
      const fresh: OwnedBlock[] = []
      for (const [key, block] of blocks) (existing.has(key) ? existingBlocks : fresh).push(block)
      const written = fresh.length === 0 ? null : await groups.add(fresh.map(({ bytes }) => bytes))
      const index = written === null ? [] : indexOf(fresh, written)
      const result = await write(written, index, existingBlocks, { rows, staged, batch })
      if (typeof result !== 'string') {
        onPlaces(index)
        return result
      }
      // The insert itself then locks all blocks that exist.
      if (result === 'collected') existing = new Set()
      else if (written !== null) await ids.replace(written.segment.token)
    }
    throw new Fault('overloaded')
  }
}

type CommittedRows = {
  readonly rows: RowChanges
  readonly staged: Parameters<typeof stageCommitted>[1]
  readonly batch: string | null
}

function indexOf(blocks: readonly OwnedBlock[], { segment, at }: WrittenBlocks): BlockRow[] {
  return blocks.map(({ hash, bytes }, index) => ({
    hash,
    file: segment.id,
    at: at[index] ?? 0,
    bytes: bytes.length,
    form: verbatim,
    size: bytes.length,
  }))
}

/** The hashes with a readable copy, as `toLatin1`. */
export async function findExisting(
  rows: Rows,
  hashes: readonly Uint8Array[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let at = 0; at < hashes.length; at += lookupMax) {
    for (const { hash } of await rows.find(findPlaces(hashes.slice(at, at + lookupMax)))) {
      found.add(toLatin1(hash))
    }
  }
  return found
}
