// Commits of fresh blocks without other rows: acknowledged once the log is synced; index rows follow (pending-blocks.ts).
// Tested by src/content/segments/segment-store.test.ts
import { isSha256Name, sha256NameBytes } from '../../codec/ipld/multihash.ts'
import type { UnverifiedItem } from '../ref.ts'
import { verbatim } from '../../tables/blocks.ts'
import type { BlockHolds } from './block-holds.ts'
import { joinedMax } from './log-group.ts'
import { createLogWriter, type DurableBlocks, type LogWriter } from './log-writer.ts'
import type { PendingBlocks } from './pending-blocks.ts'
import type { RecentPlaces } from './recent-places.ts'
import type { SegmentWriters } from './segment-writers.ts'

export type LogCommits = {
  /** The log that they share with all others. */
  readonly records: LogWriter
  /** Null: they go the long way, since one of them is known to be here, or they are too many. */
  join(items: readonly UnverifiedItem[]): Promise<readonly number[]> | null
}

/** `rowsFollow`: rows may follow, since a start would take them from the log. */
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
      pending.give(count)
      done()
    }
  }

  function onBlocks({ count, names, lies, file, at }: DurableBlocks): void {
    // One for all: each of the three copies what it keeps.
    const name = new Uint8Array(sha256NameBytes)
    for (let index = 0; index < count; index += 1) {
      for (let byte = 0; byte < sha256NameBytes; byte += 1) {
        name[byte] = names[index * sha256NameBytes + byte] ?? 0
      }
      const lie = lies[index * 2] ?? 0
      const bytes = lies[index * 2 + 1] ?? 0
      holds.touch(name)
      pending.add(name, file, at + lie, bytes)
      places.note(name, { file, at: at + lie, bytes, form: verbatim, size: bytes })
    }
  }

  /**
   * Returns true if it is known to exist without reading the index. Callers that commit only blocks have looked them up
   * before. A block that is written again keeps its row, or gets the later location if it has none yet; then it is cached.
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
      if (!pending.take(items.length)) return null
      const joined = records.join(items)
      if (joined !== null) return joined
      pending.give(items.length)
      return null
    },
  }
}
