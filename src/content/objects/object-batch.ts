// A Batch of the object store. Up to 4 MiB stay in memory and share an object with other small commits. A larger batch streams into
// separate objects, and lists its blocks in the table `staged`; the commit converts them to block rows. Leaves of large files are
// written from their slot into the object, without copying each block.
// Tested by test/suites/block-store.suite.ts
import { randomBytes } from 'node:crypto'
import { Fault } from '../../base/fault.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import { leafPrefix, leafSuffix } from '../../codec/ipld/leaf-frame.ts'
import { joinBytes } from '../../codec/ipld/protobuf.ts'
import type { Rows } from '../../db/rows.ts'
import { NothingChanged, type RowChanges, type Statement, withRows } from '../../db/writer.ts'
import { type BlockForm, type BlockPlace, dagPbLeaf, verbatim } from '../../tables/blocks.ts'
import {
  findStaged,
  lookupMax,
  publishStagedBlocks,
  requireStagedBlocks,
  stageExisting,
} from '../../tables/objects/object-blocks.ts'
import {
  abandonSegments,
  type CompleteSegment,
  publishSegment,
} from '../../tables/objects/object-segments.ts'
import {
  stageBlocks,
  type StagedRow,
  unstage,
  unstageStep,
  unstageStepRows,
} from '../../tables/staged.ts'
import type { Batch, LeafCut } from '../block-store.ts'
import type { UnverifiedItem } from '../ref.ts'
import { type WriteBufferPool, writeBufferBytes } from '../segments/io-buffers.ts'
import { type BufferedLeaf, createLeafWriter } from '../segments/leaf-writer.ts'
import { type ObjectCommit, type OwnedBlock, findExisting } from './object-commits.ts'
import type { ObjectStore, PartsWriter } from './object-store.ts'
import { objectName } from './range-cache.ts'
import type { SegmentId, SegmentIds } from './segment-ids.ts'

/** Bytes and blocks of a group; at most two groups are in memory. */
const groupBytesMax = 4 * 1024 * 1024
const groupBlocksMax = 4096
/** Size at which an object is complete and the next one begins. */
const objectBytesMax = 256 * 1024 * 1024
/** Rows that are listed in memory before they are written to the table. */
const unlistedMax = 2048
/** Number of blocks of the batch whose place is remembered. */
const recentMax = 8192

export type ObjectBatchParts = {
  readonly rows: Rows
  readonly objects: Pick<ObjectStore, 'putParts'>
  readonly ids: SegmentIds
  readonly commitSmall: ObjectCommit
  /** Pool of slots for leaves. */
  readonly pool: WriteBufferPool
  /** Null: this thread hashes the leaves. */
  readonly hashWorker: HashWorker | null
  readonly now: () => number
}

type Group = Map<string, OwnedBlock & { readonly trees: Set<number> }>

/** `bytes`: as stored, in `form`; `size`: of the whole block. */
type FormedBlock = OwnedBlock & { readonly form: BlockForm; readonly size: number }
type FormedBlocks = ReadonlyMap<string, FormedBlock>

export function createObjectBatch(parts: ObjectBatchParts): Batch {
  const { rows: database, ids, commitSmall, pool, hashWorker, now } = parts
  const id = `${ids.token}.${randomBytes(9).toString('base64url')}`
  const stream = createObjectStream(parts)
  const recent = new Map<string, BlockPlace>()
  const leafWriters = new Set<ReturnType<typeof createLeafWriter>>()
  let group: Group = new Map()
  let groupBytes = 0
  let unlisted: StagedRow[] = []
  /** Groups are written one after another. */
  let writing: Promise<unknown> = Promise.resolve()
  let isLarge = false
  /** Number of the batch's rows in the table. */
  let stagedRows = 0
  let state: 'open' | 'committed' | 'discarded' = 'open'

  function mustBeOpen(): void {
    if (state !== 'open') throw new Error(`batch already ${state}`)
  }

  /** `ownsBytes`: no caller will change the bytes. */
  function add({ ref, bytes }: UnverifiedItem, tree: number, ownsBytes: boolean): void {
    if (ref.kind !== 'dag-block') throw new TypeError(`a batch takes no ${ref.kind}`)
    const key = toLatin1(ref.hash)
    const existing = group.get(key)
    if (existing !== undefined) {
      existing.trees.add(tree)
      return
    }
    // `slice` would return a view of a Buffer.
    const hash = new Uint8Array(ref.hash)
    group.set(key, {
      hash,
      bytes: ownsBytes ? bytes : new Uint8Array(bytes),
      trees: new Set([tree]),
    })
    groupBytes += bytes.length
  }

  function flush(): Promise<unknown> {
    const full = group
    group = new Map()
    groupBytes = 0
    if (full.size === 0) return writing
    const formed = [...full].map(
      ([key, block]) => [key, { ...block, form: verbatim, size: block.bytes.length }] as const,
    )
    return writeNext(new Map(formed))
  }

  function writeNext(full: FormedBlocks): Promise<unknown> {
    isLarge = true
    writing = writing.then(() => writeGroup(full))
    // The commit, or the next call, reports the error.
    writing.catch(() => undefined)
    return writing
  }

  async function writeGroup(full: FormedBlocks): Promise<void> {
    mustBeOpen()
    const unknown = [...full].filter(([key]) => !recent.has(key)).map(([, { hash }]) => hash)
    const existing = await findExisting(database, unknown)
    for (const [tree, hashes] of byTree(full, existing)) {
      await stage(stageExisting(id, tree, hashes))
    }
    const staged = await findStagedOf(full, existing)
    for (const [key, block] of full) {
      const { hash, size, trees } = block
      const fresh = [...trees].filter((tree) => staged.get(tree)?.has(key) !== true)
      if (fresh.length === 0) continue
      const place = recent.get(key) ?? (await stream.write(block))
      if (recent.size >= recentMax) recent.clear()
      recent.set(key, place)
      for (const tree of fresh) unlisted.push({ tree, hash, size, place })
    }
    if (unlisted.length >= unlistedMax) await list()
  }

  /** Existing blocks may have been deleted before they were staged. */
  async function findStagedOf(full: FormedBlocks, existing: ReadonlySet<string>) {
    const staged = new Map<number, Set<string>>()
    for (const [tree, hashes] of byTree(full, existing)) {
      const keys = new Set<string>()
      for (let at = 0; at < hashes.length; at += lookupMax) {
        const some = findStaged(id, tree, hashes.slice(at, at + lookupMax))
        for (const { hash } of await database.find(some)) keys.add(toLatin1(hash))
      }
      staged.set(tree, keys)
    }
    return staged
  }

  async function list(): Promise<void> {
    const rows = unlisted
    unlisted = []
    await stage(stageBlocks(id, rows))
  }

  async function stage(statement: Statement): Promise<void> {
    const [rows = 0] = await database.write([statement], { lock: 'none' })
    stagedRows += rows
  }

  async function commitLarge(rows: RowChanges): Promise<readonly number[]> {
    if (group.size > 0) await flush()
    await writing
    const segments = await stream.end()
    if (unlisted.length > 0) await list()
    const before = [
      ...segments.map(publishSegment),
      requireStagedBlocks(id, stagedRows),
      publishStagedBlocks(id, now()),
    ]
    try {
      return await withRows(before, rows, (all) => database.write(all), [unstage(id)])
    } catch (error) {
      if (!(error instanceof NothingChanged) || error.index >= 0) throw error
      // The bytes are no longer in memory: the client has to send them again, and this machine writes with a new lease.
      const fenced = segments[before.length + error.index]
      if (fenced !== undefined) await ids.replace(fenced.token)
      throw new Fault('overloaded')
    }
  }

  async function put(items: readonly UnverifiedItem[], tree = 0, ownsBytes = false) {
    mustBeOpen()
    for (const item of items) add(item, tree, ownsBytes)
    if (groupBytes <= groupBytesMax && group.size <= groupBlocksMax) return
    // One group is written while the next one is filled.
    const before = writing
    void flush()
    await before
  }

  /** The slot is in use until the promise resolves. A partial slot shares a group with other blocks. */
  async function writeSlot(
    slot: Uint8Array,
    leaves: readonly BufferedLeaf[],
    form: LeafCut['form'],
    tree: number,
  ): Promise<void> {
    mustBeOpen()
    const dataOf = ({ at, bytes }: BufferedLeaf) => slot.subarray(at, at + bytes)
    const last = leaves.at(-1)
    if (last === undefined) return
    if (last.at + last.bytes < writeBufferBytes) {
      const items = leaves.map((leaf) => copyLeaf(leaf.multihash, dataOf(leaf), form))
      return await put(items, tree, true)
    }
    const stored: BlockForm = form === 'raw' ? verbatim : dagPbLeaf
    const formed = new Map<string, FormedBlock>()
    for (const leaf of leaves) {
      const { multihash: hash, size } = leaf
      const block = { hash, bytes: dataOf(leaf), form: stored, size, trees: new Set([tree]) }
      formed.set(toLatin1(hash), block)
    }
    await writeNext(formed)
  }

  return {
    id,
    put: (items, tree) => put(items, tree),
    leaves(cut, onLeaf, tree = 0) {
      mustBeOpen()
      const writer = createLeafWriter({
        cut,
        hashWorker,
        onLeaf,
        pool,
        writeSlot: (slot, leaves) => writeSlot(slot, leaves, cut.form, tree),
      })
      leafWriters.add(writer)
      return writer
    },
    async commit(rows = []) {
      mustBeOpen()
      const named = rows.length === 0 ? null : id
      const changes = await (isLarge ? commitLarge(rows) : commitSmall(group, rows, named))
      state = 'committed'
      group = new Map()
      return changes
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      group = new Map()
      await Promise.all([...leafWriters].map((each) => each.abandon()))
      await writing.catch(() => undefined)
      await stream.discard()
      if (!isLarge) return
      let deleted = unstageStepRows
      while (deleted === unstageStepRows) {
        ;[deleted = 0] = await database.write([unstageStep(id)], { lock: 'none' })
      }
    },
  }
}

/** Hashes of existing blocks, for each tree that has any. */
function byTree(
  group: FormedBlocks,
  existing: ReadonlySet<string>,
): ReadonlyMap<number, Uint8Array[]> {
  const trees = new Map<number, Uint8Array[]>()
  for (const [key, { hash, trees: blockTrees }] of group) {
    if (!existing.has(key)) continue
    for (const tree of blockTrees) {
      const hashes = trees.get(tree)
      if (hashes === undefined) trees.set(tree, [hash])
      else hashes.push(hash)
    }
  }
  return trees
}

/** The whole block, as a copy. */
function copyLeaf(hash: Uint8Array, data: Uint8Array, form: LeafCut['form']): UnverifiedItem {
  const bytes =
    form === 'raw'
      ? new Uint8Array(data)
      : joinBytes([leafPrefix(data.length), data, leafSuffix(data.length)])
  return { ref: { kind: 'dag-block', hash }, bytes }
}

type ObjectStream = {
  /** Resolves when the bytes have been copied. */
  write(block: Pick<FormedBlock, 'bytes' | 'form' | 'size'>): Promise<BlockPlace>
  /** All objects are complete and durable. */
  end(): Promise<readonly CompleteSegment[]>
  discard(): Promise<void>
}

/** Writes blocks one after another into objects of limited size. One call at a time. */
function createObjectStream({ rows, objects, ids }: ObjectBatchParts): ObjectStream {
  const segments: SegmentId[] = []
  const complete: CompleteSegment[] = []
  let open: { readonly segment: SegmentId; readonly writer: PartsWriter } | null = null

  async function begin() {
    const segment = await ids.next()
    segments.push(segment)
    return { segment, writer: objects.putParts(objectName(segment.id)) }
  }

  async function endOpen(): Promise<void> {
    if (open === null) return
    const { segment, writer } = open
    await writer.end()
    complete.push({ ...segment, bytes: writer.bytes })
    open = null
  }

  return {
    async write({ bytes, form, size }) {
      if (open !== null && open.writer.bytes + bytes.length > objectBytesMax) await endOpen()
      open ??= await begin()
      const { segment, writer } = open
      const at = writer.bytes
      await writer.write(bytes)
      return { file: segment.id, at, bytes: bytes.length, form, size }
    },
    async end() {
      await endOpen()
      return complete
    },
    async discard() {
      await open?.writer.abort()
      open = null
      if (segments.length === 0) return
      const abandoned = Map.groupBy(segments, ({ token }) => token)
      for (const [token, abandonedSegments] of abandoned) {
        await rows.write(
          [
            abandonSegments(
              abandonedSegments.map(({ id }) => id),
              token,
            ),
          ],
          { lock: 'none' },
        )
      }
    },
  }
}
