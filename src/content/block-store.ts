// A BlockStore stores bytes by ContentRef. Every implementation runs test/suites/block-store.suite.ts.
import type { DutyCycle } from '../base/duty-cycle.ts'
import type { RowChanges } from '../db/writer.ts'
import type { QuarantineFlag } from './quarantine-rows.ts'
import type { ContentKind, ContentRef, UnverifiedItem } from './ref.ts'

/**
 * A copy other than the served one. `reread`: the served one by a new read of the disk, past all caches, after a copy
 * failed verification. `quarantined`: the one in quarantine.
 */
export type CopyChoice = 'reread' | 'quarantined'

/**
 * On this machine or another. The caller verifies, before (`keep`, `put`) and after (`obtain`); a BlockStore never
 * verifies bytes. Order: a resolved `put` is readable immediately by every method of the same BlockStore.
 */
export interface BlockStore {
  /** The stored bytes, or null. Bytes of an open or discarded Batch are never returned. */
  get(ref: ContentRef, copy?: CopyChoice): Promise<Uint8Array | null>
  /**
   * As `get` of the served copy, in the caller's turn, from memory or a disk of this machine: its null is final. A store on
   * another machine has no `peek`.
   */
  peek?(ref: ContentRef): Uint8Array | null
  /** True for kinds that another machine stores: `peek` then finds none of them, and its null is not final. */
  isRemote?(kind: ContentKind): boolean
  /** Whether `get` would return bytes. They may be gone when the caller acts on it. */
  has(ref: ContentRef): Promise<boolean>
  /**
   * The content of `refs`, in order; read ahead asynchronously, adjacent blocks in one read, which is a group. Two groups
   * are valid at a time: requesting a third frees the first. After an error they stay valid until `return`, which must
   * then be called too.
   */
  read(refs: readonly ContentRef[], signal: AbortSignal): AsyncGenerator<ReadBatch>
  /**
   * Stores all items and all rows, or none; durable when it resolves. Existing items are left unchanged. Throws
   * `no_space` if the device or the configured size is full; then no item is stored.
   */
  put(items: readonly UnverifiedItem[], rows?: RowChanges): Promise<readonly number[]>
  /** Opens a Batch for content too large for memory. */
  batch(): Batch
  /**
   * Deletes dag-blocks, by multihash, except those with a charge (table `charge`) and those that an open batch or a
   * running `put` depends on. Resolves with the number deleted. At most 2000 at a time; a block that is put again in the
   * meantime stays. A store without `delete` retains all blocks.
   */
  delete?(multihashes: readonly Uint8Array[]): Promise<number>
  /**
   * For a copy that failed verification more than once: reads no longer find it, and a `put` of the same ref replaces it.
   * Until then its bytes stay in place.
   */
  quarantine(ref: ContentRef): Promise<void>
  /** The copy in quarantine is valid: reads find it again. */
  release(ref: ContentRef): Promise<void>
  /** Whether any copy is in quarantine, checked before such a copy is read. */
  readonly quarantineFlag: Pick<QuarantineFlag, 'isUp' | 'look'>
}

/** A store of this machine, which reads every copy in the caller's turn: the EVM of an embedded chain cannot wait. */
export interface LocalStore extends BlockStore {
  peek(ref: ContentRef, copy?: CopyChoice): Uint8Array | null
}

/** `BlockStore.delete`, where blocks can be deleted. */
export type DeleteBlocks = NonNullable<BlockStore['delete']>

/** The store of a server, on this machine or shared by several. */
export type ServerStore = BlockStore & {
  readonly delete: DeleteBlocks
  readonly segments: CollectedSegments
}

/**
 * `leaf`: `data` is the file bytes of a dag-pb leaf, whose block has the frame of codec/ipld/leaf-frame.ts around
 * them; else `data` is the whole block.
 */
export type StoredChunk = { readonly data: Uint8Array; readonly leaf: boolean }

/** The chunks of one read, at least one. Null: absent or unreadable. */
export type ReadBatch = readonly (StoredChunk | null)[]

/** Content of one upload: on disk as it arrives, invisible until `commit`, gone after a crash. */
export interface Batch {
  /** Names the rows of this batch in the table `staged`, until the commit. */
  readonly id: string
  /**
   * Resolves when the bytes have left memory; the caller waits for it (back-pressure). `tree`: a number of the
   * caller, one for each root. The rows in `staged` with it are the blocks of that root, earlier stored ones included.
   */
  put(items: readonly UnverifiedItem[], tree?: number): Promise<void>
  /** File bytes that are cut into equal leaves and named by sha2-256 on their way to disk. */
  leaves(cut: LeafCut, onLeaf: (leaf: FileLeaf) => void, tree?: number): LeafWriter
  /**
   * Makes everything put so far visible together with `rows`, atomically and durably. Once. `rows` run when the
   * blocks are in the table `block`, and may read `staged` of this batch.
   */
  commit(rows?: RowChanges): Promise<readonly number[]>
  /** Drops everything. Safe to call at any time, also after a failure; no effect after `commit`. */
  discard(): Promise<void>
}

/**
 * `bytes`: size of each leaf but the last; divides 4 MiB. `form`: block form of the leaves. `late`: leaves may be
 * reported later than in the `write` that completes them, but in order.
 */
export type LeafCut = {
  readonly bytes: number
  readonly form: 'dag-pb' | 'raw'
  readonly late?: boolean
}

/** `bytes`: of the file. `size`: of the block, which is larger by its frame. */
export type FileLeaf = {
  readonly multihash: Uint8Array
  readonly bytes: number
  readonly size: number
}

export interface LeafWriter {
  /**
   * Copies `piece` and reports each complete leaf, before it returns unless the cut is `late`. Null, or a promise to
   * await before the next call; it rejects if the bytes cannot be written.
   */
  write(piece: Uint8Array): Promise<void> | null
  /** Reports all leaves up to the last, which may be shorter; an empty file has no leaf. Before the batch's commit. */
  end(): Promise<void>
}

/** Live blocks of one segment: bytes as stored, and the lowest and highest ID of the rows in `block`. */
export type LiveBlocks = { readonly bytes: number; readonly first: number; readonly last: number }

/** `bytes`: freed on disk. */
export type Freed = { readonly segments: number; readonly bytes: number }

/** As `Segments`; the list may come from another machine. */
export type CollectedSegments = Pick<Segments, 'free'> & {
  sealed(): ReadonlySet<number> | Promise<ReadonlySet<number>>
}

export interface Segments {
  /** Segments that are sealed: no block will be added to them. */
  sealed(): ReadonlySet<number>
  /**
   * Removes those of `sealed` that are mostly dead, after moving their live blocks. `live`: by segment, counted after
   * `sealed` was read. Corrupt copies are quarantined and their segment stays. Paced; stops between two steps on abort.
   */
  free(
    sealed: ReadonlySet<number>,
    live: ReadonlyMap<number, LiveBlocks>,
    dutyCycle: DutyCycle,
    signal: AbortSignal,
  ): Promise<Freed>
}
