// The BlockStore of several machines: file blocks are in immutable objects, their rows in PostgreSQL. All other content is in the
// local store of this machine, because it is a cache of the network.
// Tested by test/files/object-blocks.test.ts
import type { Clock } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import type { Rows } from '../../db/rows.ts'
import { quarantineBlock, releaseBlock } from '../../tables/blocks.ts'
import { anyQuarantinedBlock, deleteUnusedBlocks } from '../../tables/objects/object-blocks.ts'
import type { LocalStore, ServerStore } from '../block-store.ts'
import type { QuarantineFlag } from '../quarantine-rows.ts'
import type { UnverifiedItem } from '../ref.ts'
import { createWriteBufferPool } from '../segments/io-buffers.ts'
import { createRecentPlaces } from '../segments/recent-places.ts'
import { defaultSegmentLimits } from '../segments/segment-limits.ts'
import { createObjectBatch } from './object-batch.ts'
import { type OwnedBlock, createObjectCommit } from './object-commits.ts'
import { createObjectGroups } from './object-groups.ts'
import { createObjectReads } from './object-reads.ts'
import { createObjectSegments } from './object-segments.ts'
import type { ObjectStore } from './object-store.ts'
import type { RangeReader } from './range-cache.ts'
import { openSegmentIds, type SegmentIds } from './segment-ids.ts'

export type ObjectBlockStore = ServerStore & {
  /** IDs of new objects, and the lease of this machine. */
  readonly ids: SegmentIds
  readonly objects: ObjectStore
  /** Deletion and freeing for a garbage collection, through rows that only the collecting machine can write (db/fenced-rows.ts). */
  collectorStore(rows: Rows): Pick<ServerStore, 'delete' | 'segments'>
  close(): Promise<void>
}

/** Number of blocks whose place is cached: a power of two. */
const recentPlaces = 262_144

/** `local`: stores content that is not a file block; the caller closes it. `node`: name of this machine. */
export async function openObjectBlockStore(parts: {
  readonly rows: Rows
  readonly objects: ObjectStore
  readonly ranges: RangeReader
  readonly local: LocalStore
  readonly node: string
  /** Digests of the current settings of this machine, for other machines; default: none. */
  readonly settings?: () => string | null
  /** Delay before an object without live blocks is deleted. */
  readonly deleteDelayMs: number
  /** Null: this thread hashes the leaves of files. */
  readonly hashWorker?: HashWorker | null
  readonly clock: Clock
  readonly log: Log
}): Promise<ObjectBlockStore> {
  const { rows, objects, ranges, local, node, deleteDelayMs, hashWorker = null } = parts
  const { settings = () => null, clock, log } = parts
  const ids = await openSegmentIds({ rows, node, settings, clock, log })
  const places = createRecentPlaces(recentPlaces)
  const reads = createObjectReads({ rows, ranges, places })
  const groups = createObjectGroups(objects, ids)
  const commit = createObjectCommit({
    rows,
    groups,
    ids,
    now: clock.now,
    onPlaces(index) {
      for (const row of index) places.note(row.hash, row)
    },
  })
  const batchParts = {
    rows,
    objects,
    ids,
    commitSmall: commit,
    pool: createWriteBufferPool(defaultSegmentLimits.slots),
    hashWorker,
    now: clock.now,
  }
  const flag = await openFlag(rows, local, log)

  /** `delete` and `segments` that use these rows. */
  function collectorStore(collectorRows: Rows): Pick<ServerStore, 'delete' | 'segments'> {
    return {
      async delete(hashes) {
        const sorted = hashes.toSorted((one, other) => Buffer.compare(one, other))
        const changes =
          sorted.length === 0 ? [] : await collectorRows.write(deleteUnusedBlocks(sorted))
        for (const hash of hashes) places.forget(hash)
        return changes.at(-1) ?? 0
      },
      segments: createObjectSegments({
        rows: collectorRows,
        objects,
        groups,
        reads,
        deleteDelayMs,
        onQuarantine(hash) {
          places.forget(hash)
          flag.raise()
        },
        clock,
        log,
      }),
    }
  }

  return {
    ids,
    objects,
    ...collectorStore(rows),
    collectorStore,
    peek: (ref) => (ref.kind === 'dag-block' ? null : local.peek(ref)),
    isRemote: (kind) => kind === 'dag-block',
    async get(ref, copy) {
      if (ref.kind !== 'dag-block') return await local.get(ref, copy)
      if (copy === 'quarantined') return await reads.findQuarantined(ref.hash)
      return await reads.find(ref.hash, copy === 'reread')
    },
    async has(ref) {
      if (ref.kind !== 'dag-block') return await local.has(ref)
      return (await reads.placeOf(ref.hash)) !== null
    },
    read(refs, signal) {
      if (refs.some(({ kind }) => kind !== 'dag-block')) return local.read(refs, signal)
      return reads.read(
        refs.map(({ hash }) => hash),
        signal,
      )
    },
    async put(items, changes = []) {
      const blocks = copyBlocks(items)
      const others = copyOthers(items)
      // Rows about the chain of this machine belong to the local database.
      if (blocks.size === 0 && others.length > 0) return await local.put(others, changes)
      const counts = await commit(blocks, changes, null)
      if (others.length > 0) await local.put(others)
      return counts
    },
    batch() {
      // Refuses an upload before its body is read.
      if (!objects.isAvailable) throw new Fault('overloaded')
      return createObjectBatch(batchParts)
    },
    async quarantine(ref) {
      if (ref.kind !== 'dag-block') return await local.quarantine(ref)
      const place = places.find(ref.hash) ?? (await reads.placeOf(ref.hash))
      if (place === null) return
      flag.raise()
      await rows.write([quarantineBlock(ref.hash, place)], { lock: 'none' })
      places.forget(ref.hash)
    },
    async release(ref) {
      if (ref.kind !== 'dag-block') return await local.release(ref)
      await rows.write([releaseBlock(ref.hash)], { lock: 'none' })
    },
    quarantineFlag: flag,
    async close() {
      ids.close()
      await ranges.close()
      await objects.close()
    },
  }
}

/** Copies, because the caller may reuse its buffers after the call returns. */
function copyBlocks(items: readonly UnverifiedItem[]): ReadonlyMap<string, OwnedBlock> {
  const blocks = new Map<string, OwnedBlock>()
  const trees: ReadonlySet<number> = new Set()
  for (const { ref, bytes } of items) {
    const key = toLatin1(ref.hash)
    if (ref.kind !== 'dag-block' || blocks.has(key)) continue
    blocks.set(key, { hash: new Uint8Array(ref.hash), bytes: new Uint8Array(bytes), trees })
  }
  return blocks
}

function copyOthers(items: readonly UnverifiedItem[]): readonly UnverifiedItem[] {
  return items
    .filter(({ ref }) => ref.kind !== 'dag-block')
    .map(({ ref, bytes }) => ({
      ref: { kind: ref.kind, hash: new Uint8Array(ref.hash) },
      bytes: new Uint8Array(bytes),
    }))
}

/** The flag of both stores. `look` reads the rows in the background. */
async function openFlag(rows: Rows, local: LocalStore, log: Log): Promise<QuarantineFlag> {
  let isUp = false
  const look = async (): Promise<void> => {
    isUp = (await rows.first(anyQuarantinedBlock())) !== null
  }
  await look()
  return {
    get isUp() {
      return isUp || local.quarantineFlag.isUp
    },
    raise: () => (isUp = true),
    look() {
      local.quarantineFlag.look()
      look().catch((error: unknown) => log('warn', 'quarantine_not_read', { error }))
    },
  }
}
