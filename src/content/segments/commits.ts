// Commits of blocks. New blocks without other rows are acknowledged once the log is synced; their index rows follow
// (pending-blocks.ts). All other commits write their rows before the acknowledgement: the log is synced first, then one SQL write
// makes everything visible.
// Tested by src/content/segments/segment-store.test.ts
import { isSha256Name, sha256NameBytes } from '../../codec/ipld/multihash.ts'
import type { UnverifiedItem } from '../ref.ts'
import { type BlockRow, insertBlocks, requireBlocks, verbatim } from '../../tables/blocks.ts'
import type { BlockHolds } from './block-holds.ts'
import { joinedMax } from './log-group.ts'
import { type DurableBlocks, type LogWriter, createLogWriter } from './log-writer.ts'
import type { PendingBlocks } from './pending-blocks.ts'
import type { RecentPlaces } from './recent-places.ts'
import type { SegmentWriters } from './segment-folder.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Database } from '../../db/sqlite.ts'
import { type RowChanges, withRows } from '../../db/writer.ts'
import type { BlockStore } from '../block-store.ts'

export type LogCommits = {
  /** The log that all commits share. */
  readonly records: LogWriter
  /** Null: the commit must write its rows first, because one of the blocks is known to exist, or there are too many. */
  join(items: readonly UnverifiedItem[]): Promise<readonly number[]> | null
}

/** `rowsFollow`: rows may follow, because a start would recover them from the log. */
export function createLogCommits(
  parts: Omit<Parameters<typeof createLogWriter>[0], 'onJoin' | 'onBlocks' | 'onLog'> & {
    readonly pending: PendingBlocks
    readonly holds: BlockHolds
    readonly places: RecentPlaces
    readonly writers: SegmentWriters
    readonly rowsFollow: boolean
  },
): LogCommits {
  const { pending, holds, places, writers, rowsFollow, ...growing } = parts
  const records = createLogWriter({
    ...growing,
    onJoin,
    onBlocks,
    // Without a replay, the checkpoint stays before the records to be replayed.
    onLog: (...end) => (rowsFollow ? pending.onLog(...end) : undefined),
  })

  function onJoin(): (count: number) => void {
    const done = writers.begin()
    return (count) => {
      pending.unreserve(count)
      done()
    }
  }

  function onBlocks({ count, names, ranges, file, at }: DurableBlocks): void {
    // Reused for all blocks: each of the three calls copies what it stores.
    const name = new Uint8Array(sha256NameBytes)
    for (let index = 0; index < count; index += 1) {
      for (let byte = 0; byte < sha256NameBytes; byte += 1) {
        name[byte] = names[index * sha256NameBytes + byte] ?? 0
      }
      const offset = ranges[index * 2] ?? 0
      const bytes = ranges[index * 2 + 1] ?? 0
      holds.touch(name)
      pending.add(name, file, at + offset, bytes)
      places.note(name, { file, at: at + offset, bytes, form: verbatim, size: bytes })
    }
  }

  /**
   * Returns true if the block is known to exist without reading the index. Callers that commit only blocks have looked them up
   * before. A block that is written again retains its row, or gets the later location if it has none yet; then it is cached.
   */
  function isKnown(hash: Uint8Array): boolean {
    return !holds.isCondemned(hash) && places.has(hash)
  }

  return {
    records,
    join(items) {
      if (!rowsFollow || items.length === 0 || items.length > joinedMax) return null
      for (const { ref } of items) {
        if (ref.kind !== 'dag-block' || !isSha256Name(ref.hash) || isKnown(ref.hash)) return null
      }
      if (!pending.reserve(items.length)) return null
      const joined = records.join(items)
      if (joined !== null) return joined
      pending.unreserve(items.length)
      return null
    },
  }
}

/** Commits as `put` of the BlockStore does. */
export type RowCommits = (
  items: readonly UnverifiedItem[],
  rows: RowChanges,
) => Promise<readonly number[]>

export function createRowCommits(parts: {
  readonly db: Database
  readonly rowStore: BlockStore
  readonly records: LogWriter
  readonly pending: PendingBlocks
  readonly holds: BlockHolds
  readonly places: RecentPlaces
  readonly writers: SegmentWriters
  readonly holdIfStored: (hash: Uint8Array) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}): RowCommits {
  const { db, rowStore, records, pending, holds, places, writers, holdIfStored, now } = parts

  async function commitBlocks(
    blocks: readonly UnverifiedItem[],
    others: readonly UnverifiedItem[],
    rows: RowChanges,
  ): Promise<readonly number[]> {
    const done = writers.begin()
    const seen = new Set<string>()
    const existing: Uint8Array[] = []
    const fresh: UnverifiedItem[] = []
    const sort = (): void => {
      for (const item of blocks) {
        const key = toLatin1(item.ref.hash)
        if (seen.has(key)) continue
        seen.add(key)
        if (holdIfStored(item.ref.hash)) existing.push(new Uint8Array(item.ref.hash))
        else fresh.push(item)
      }
    }
    if (blocks.length > 1) db.together(sort)
    else sort()
    // The log copies the bytes; names and sizes are copied here, because the caller may reuse its buffers. `slice` would return a
    // view of a Buffer.
    const named = fresh.map(({ ref, bytes }) => ({
      hash: new Uint8Array(ref.hash),
      size: bytes.length,
    }))
    for (const { hash } of named) holds.hold(hash)
    const owned = others.map(({ ref, bytes }) => ({
      ref: { kind: ref.kind, hash: new Uint8Array(ref.hash) },
      bytes: new Uint8Array(bytes),
    }))
    try {
      const appended =
        fresh.length === 0
          ? []
          : await records.append(
              fresh.map(({ ref, bytes }) => ({ kind: 'object', key: ref.hash, payload: bytes })),
              true,
            )
      const index: BlockRow[] = appended.map((place, at) => {
        const { hash, size } = named[at] ?? { hash: new Uint8Array(0), size: 0 }
        return { hash, ...place, bytes: size, form: verbatim, size }
      })
      const before = [
        ...(existing.length === 0 ? [] : [requireBlocks(existing)]),
        ...(index.length === 0 ? [] : [insertBlocks(index, now())]),
      ]
      // The rows may refer to blocks whose own rows are still pending.
      if (existing.length + rows.length > 0) await pending.settle()
      const changes = await withRows(before, rows, (all) => rowStore.put(owned, all))
      for (const row of index) places.note(row.hash, row)
      return changes
    } finally {
      for (const hash of existing) holds.release(hash)
      for (const { hash } of named) holds.release(hash)
      done()
    }
  }

  return async (items, rows) => {
    const blocks = items.filter(({ ref }) => ref.kind === 'dag-block')
    if (items.length === 0) await pending.settle()
    if (blocks.length === 0) return await rowStore.put(items, rows)
    const others = items.filter(({ ref }) => ref.kind !== 'dag-block')
    return await commitBlocks(blocks, others, rows)
  }
}
