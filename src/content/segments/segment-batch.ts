// A Batch of the segment store: bytes are written to the files on arrival and listed under the batch, first in memory, then in the
// table `staged` if there are many. The commit converts the list to index rows.
// Tested by test/suites/block-store.suite.ts
import { randomBytes } from 'node:crypto'
import { toLatin1 } from '../../base/hex.ts'
import type { HashWorker } from '../../codec/hash/hash-worker.ts'
import { type RowChanges, type Writer, withRows } from '../../db/writer.ts'
import type { UnverifiedItem } from '../ref.ts'
import type { Batch, LeafCut } from '../block-store.ts'
import {
  dagPbLeaf,
  insertBlocks,
  requireBlocks,
  verbatim,
  type BlockForm,
  type BlockPlace,
} from '../../tables/blocks.ts'
import {
  publishStaged,
  requireStaged,
  stageBlocks,
  unstage,
  unstageStep,
  unstageStepRows,
  type StagedRow,
} from '../../tables/staged.ts'
import type { Extents } from './extents.ts'
import type { BlockHolds } from './block-holds.ts'
import { leafTableRecord } from './record.ts'
import { createLeafWriter, type BufferedLeaf } from './leaf-writer.ts'
import type { LogWriter } from './log-writer.ts'
import type { WriteBufferPool } from './io-buffers.ts'

export type BatchParts = {
  readonly writer: Writer
  readonly extents: Extents
  readonly log: LogWriter
  readonly pool: WriteBufferPool
  readonly hashWorker: HashWorker | null
  readonly holds: BlockHolds
  /** Returns true if the block exists and will not be deleted; it is then held, and the caller releases it. */
  readonly holdIfStored: (hash: Uint8Array) => boolean
  /** Resolves when every existing block has its row. */
  readonly settle: () => Promise<void>
  /** Runs many lookups in one read of the database. */
  readonly together: (look: () => void) => void
  /** Receives the locations of small commits, because they are likely read soon. */
  readonly onPlace: (hash: Uint8Array, place: BlockPlace) => void
  readonly now: () => number
  /** Called when blocks that are not visible yet can no longer become visible. */
  readonly onEnd: () => void
}

/** Rows that are listed in memory before they are written to the table. */
const unlistedMax = 2048
/** Maximum number of blocks of a small commit. */
const smallCommit = 256
/** Number of recent blocks of the batch that are remembered, to recognize repeated ones. */
const recentMax = 8192

export function createSegmentBatch(parts: BatchParts): Batch {
  const { writer, extents, log, pool, hashWorker, holds } = parts
  const { holdIfStored, settle, together, onPlace, now, onEnd } = parts
  const id = randomBytes(9).toString('base64url')
  const recent = new Map<string, BlockPlace>()
  const writers = new Set<ReturnType<typeof createLeafWriter>>()
  /** Running work that no caller awaits. */
  const pending = new Set<Promise<unknown>>()
  const extentsWritten = new Set<number>()
  let unlisted: StagedRow[] = []
  let listed = false
  /** Blocks were written to the log, which must be synced before they are durable. */
  let logged = false
  let failure: { readonly error: unknown } | null = null
  let state: 'open' | 'committed' | 'discarded' = 'open'

  function mustBeOpen(): void {
    if (state !== 'open') throw new Error(`batch already ${state}`)
  }

  function track(work: Promise<unknown>): void {
    const done = work
      .catch((error: unknown) => (failure ??= { error }))
      .finally(() => pending.delete(done))
    pending.add(done)
  }

  function note(hash: Uint8Array, place: BlockPlace): void {
    if (recent.size >= recentMax) recent.clear()
    recent.set(toLatin1(hash), place)
  }

  /** An existing block must already be held. */
  function list(row: StagedRow): void {
    if (row.place !== null) holds.hold(row.hash)
    unlisted.push(row)
    if (unlisted.length >= unlistedMax) track(listAll())
  }

  async function listAll(): Promise<void> {
    const rows = unlisted
    unlisted = []
    listed = true
    try {
      await writer.write([stageBlocks(id, rows)])
    } finally {
      release(rows)
    }
  }

  function release(rows: readonly StagedRow[]): void {
    for (const { hash } of rows) holds.release(hash)
  }

  async function put(items: readonly UnverifiedItem[], tree = 0): Promise<void> {
    mustBeOpen()
    const fresh: UnverifiedItem[] = []
    const added = new Set<string>()
    for (const { ref } of items) {
      if (ref.kind !== 'dag-block') throw new TypeError(`a batch takes no ${ref.kind}`)
    }
    /** Listed after all lookups, because writing a list would end the shared read. */
    const existing: StagedRow[] = []
    const sort = (): void => {
      for (const item of items) {
        const { hash } = item.ref
        const key = toLatin1(hash)
        const place = recent.get(key)
        const size = item.bytes.length
        if (added.has(key)) continue
        if (place !== undefined) existing.push({ tree, hash: new Uint8Array(hash), size, place })
        else if (holdIfStored(hash))
          existing.push({ tree, hash: new Uint8Array(hash), size, place: null })
        else {
          added.add(key)
          fresh.push(item)
        }
      }
    }
    if (items.length > 1) together(sort)
    else sort()
    for (const row of existing) list(row)
    if (fresh.length === 0) return await settled()
    logged = true
    const hashes = fresh.map(({ ref }) => new Uint8Array(ref.hash))
    const sizes = fresh.map(({ bytes }) => bytes.length)
    const places = await log.append(
      fresh.map(({ ref, bytes }) => ({ kind: 'object', key: ref.hash, payload: bytes })),
      false,
    )
    for (const [index, { file, at }] of places.entries()) {
      const [hash, size] = [hashes[index], sizes[index]]
      if (hash === undefined || size === undefined) continue
      const place = { file, at, bytes: size, form: verbatim, size } as const
      note(hash, place)
      list({ tree, hash, size, place })
    }
    await settled()
  }

  /** Waits until pending lists are written, which is the back-pressure. */
  async function settled(): Promise<void> {
    await Promise.all(pending)
    if (failure !== null) throw failure.error
  }

  async function writeSlot(
    slot: Uint8Array,
    leaves: readonly BufferedLeaf[],
    { bytes: leafBytes, form }: LeafCut,
    tree: number,
  ): Promise<void> {
    const buffered: BufferedLeaf[] = []
    for (const leaf of leaves) {
      if (!holdIfStored(leaf.multihash)) break
      buffered.push(leaf)
    }
    if (buffered.length === leaves.length) {
      // All blocks exist, so no bytes are written.
      for (const { multihash, size } of buffered) list({ tree, hash: multihash, size, place: null })
      return
    }
    for (const { multihash } of buffered) holds.release(multihash)
    const last = leaves.at(-1)
    if (last === undefined) return
    const { file, at } = await extents.write(slot, last.at + last.bytes)
    extentsWritten.add(file)
    const placeForm: BlockForm = form === 'raw' ? verbatim : dagPbLeaf
    for (const { multihash, bytes, size, at: offset } of leaves) {
      const place = { file, at: at + offset, bytes, form: placeForm, size } as const
      list({ tree, hash: multihash, size, place })
    }
    logged = true
    const digests = leaves.map(({ multihash }) => multihash.subarray(2))
    const table = { file, at, form: placeForm, leafBytes, lastBytes: last.bytes, digests }
    await log.append([leafTableRecord(table)], false)
    if (failure !== null) throw failure.error
  }

  /** The single SQL write, in order: blocks, then the caller's rows, then the deletion of the list. */
  async function write(rows: RowChanges): Promise<readonly number[]> {
    const direct = !listed && rows.length === 0
    if (!direct) {
      const before = [
        ...(unlisted.length === 0 ? [] : [stageBlocks(id, unlisted)]),
        requireStaged(id),
        publishStaged(id, now()),
      ]
      return await withRows(before, rows, writer.write, [unstage(id)])
    }
    const existing = unlisted.filter(({ place }) => place === null).map(({ hash }) => hash)
    const fresh = unlisted.flatMap(({ hash, place }) =>
      place === null ? [] : [{ hash, ...place }],
    )
    const before = [
      ...(existing.length === 0 ? [] : [requireBlocks(existing)]),
      ...(fresh.length === 0 ? [] : [insertBlocks(fresh, now())]),
    ]
    return await withRows(before, rows, writer.write)
  }

  function end(): void {
    release(unlisted)
    unlisted = []
    onEnd()
  }

  return {
    id,
    put,
    leaves(cut, onLeaf, tree = 0) {
      mustBeOpen()
      const leafWriter = createLeafWriter({
        cut,
        hashWorker,
        onLeaf,
        pool,
        writeSlot: (slot, leaves) => writeSlot(slot, leaves, cut, tree),
      })
      writers.add(leafWriter)
      return leafWriter
    },
    async commit(rows = []) {
      mustBeOpen()
      await settled()
      await extents.sync(extentsWritten)
      if (logged) await log.append([], true)
      await settle()
      const changes = await write(rows)
      state = 'committed'
      for (const { hash, place } of unlisted.length > smallCommit ? [] : unlisted) {
        if (place !== null) onPlace(hash, place)
      }
      end()
      return changes
    },
    async discard() {
      if (state !== 'open') return
      state = 'discarded'
      // Running writes to a file have to finish first: until then the file must remain.
      await Promise.all([...writers].map((each) => each.abandon()))
      await Promise.all(pending)
      end()
      if (listed) await discardListed(writer, id)
    },
  }
}

/** Deletes the rows of one batch, or of all (null), which is allowed only at a start, before any batch is open. */
export async function discardListed(writer: Writer, batch: string | null): Promise<void> {
  let deleted = unstageStepRows
  while (deleted === unstageStepRows) [deleted = 0] = await writer.write([unstageStep(batch)])
}
