// A BlockStore stores bytes by ContentRef. Every implementation runs test/suites/block-store.suite.ts.
import type { DutyCycle } from '../base/duty-cycle.ts'
import type { RowChanges } from '../db/writer.ts'
import type { QuarantineFlag } from './quarantine-rows.ts'
import type { ContentKind, ContentRef, UnverifiedItem } from './ref.ts'

/**
 * Reads another copy than the served one. `reread`: the served copy, read again from disk past all caches, after it failed
 * verification. `quarantined`: the copy in quarantine.
 */
export type CopyChoice = 'reread' | 'quarantined'

/**
 * A store on this machine or another. The caller verifies bytes, before (`keep`, `put`) and after (`obtain`); a BlockStore never
 * does. Order: content of a resolved `put` is immediately readable by every method of the same BlockStore.
 */
export interface BlockStore {
  /** Returns the stored bytes, or null. Never returns bytes of an open or discarded Batch. */
  get(ref: ContentRef, copy?: CopyChoice): Promise<Uint8Array | null>
  /**
   * As `get` of the served copy, but synchronous, from memory or a disk of this machine: null means that the content is not stored.
   * A store on another machine has no `peek`.
   */
  peek?(ref: ContentRef): Uint8Array | null
  /** True for kinds that another machine stores: `peek` then returns null for all of them, stored or not. */
  isRemote?(kind: ContentKind): boolean
  /** Whether `get` would return bytes. They may be deleted before the caller reads them. */
  has(ref: ContentRef): Promise<boolean>
  /**
   * Reads the content of `refs` in order; reads ahead asynchronously, with adjacent blocks in one read, which is a group. Two
   * groups are valid at a time: requesting a third one releases the first. After an error they stay valid until `return`, which
   * must then be called too.
   */
  read(refs: readonly ContentRef[], signal: AbortSignal): AsyncGenerator<ReadBatch>
  /**
   * Stores all items and all rows, or none; durable when it resolves. Existing items are left unchanged. Throws `no_space` if the
   * device is full or the configured limit is reached; then no item is stored.
   */
  put(items: readonly UnverifiedItem[], rows?: RowChanges): Promise<readonly number[]>
  /** Opens a Batch for content too large for memory. */
  batch(): Batch
  /**
   * Deletes dag-blocks, by multihash, except those with a charge (table `charge`) and those that an open batch or a running `put`
   * depends on. Resolves to the number of deleted blocks. At most 2000 at a time; a block that is put again in the meantime
   * remains. A store without `delete` retains all blocks.
   */
  delete?(multihashes: readonly Uint8Array[]): Promise<number>
  /**
   * Quarantines a copy that failed verification more than once: reads no longer find it, and a `put` of the same ref replaces it.
   * Until then its bytes stay in place.
   */
  quarantine(ref: ContentRef): Promise<void>
  /** Ends the quarantine of a copy that is valid: reads find it again. */
  release(ref: ContentRef): Promise<void>
  /** Whether any copy is in quarantine; checked before reading such a copy. */
  readonly quarantineFlag: Pick<QuarantineFlag, 'isUp' | 'look'>
}

/** A store of this machine, which reads every copy synchronously: the EVM of an embedded chain cannot wait. */
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
 * `leaf`: `data` is the file bytes of a dag-pb leaf, and its block adds the frame of codec/ipld/leaf-frame.ts; otherwise `data` is
 * the whole block.
 */
export type StoredChunk = { readonly data: Uint8Array; readonly leaf: boolean }

/** The chunks of one read, at least one. Null: absent or unreadable. */
export type ReadBatch = readonly (StoredChunk | null)[]

/** Content of one upload: written to disk as it arrives, invisible until `commit`, removed after a crash. */
export interface Batch {
  /** ID of this batch in the rows of the table `staged`, until the commit. */
  readonly id: string
  /**
   * Resolves when the bytes have left memory; the caller awaits it (back-pressure). `tree`: a number chosen by the caller, one per
   * root. The rows in `staged` with this number are the blocks of that root, including blocks that were already stored.
   */
  put(items: readonly UnverifiedItem[], tree?: number): Promise<void>
  /** Writes file bytes that are cut into equal leaves and hashed with sha2-256 on their way to disk. */
  leaves(cut: LeafCut, onLeaf: (leaf: FileLeaf) => void, tree?: number): LeafWriter
  /**
   * Makes everything put so far visible together with `rows`, atomically and durably. Call it once. `rows` run after the blocks
   * were added to the table `block`, and may read `staged` of this batch.
   */
  commit(rows?: RowChanges): Promise<readonly number[]>
  /** Discards everything. Safe to call at any time, also after a failure; no effect after `commit`. */
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
   * Copies `piece` and reports each complete leaf, before it returns unless the cut is `late`. Null, or a promise to await before
   * the next call; it rejects if the bytes cannot be written.
   */
  write(piece: Uint8Array): Promise<void> | null
  /** Reports all leaves up to the last, which may be shorter; an empty file has no leaf. Before the batch's commit. */
  end(): Promise<void>
}

/** Live blocks of one segment: bytes as stored, and the lowest and highest ID of the rows in `block`. */
export type LiveBlocks = { readonly bytes: number; readonly first: number; readonly last: number }

/** `bytes`: disk space that was freed. */
export type Freed = { readonly segments: number; readonly bytes: number }

/** As `Segments`, but the list of sealed segments may come from another machine. */
export type CollectedSegments = Pick<Segments, 'free'> & {
  sealed(): ReadonlySet<number> | Promise<ReadonlySet<number>>
}

export interface Segments {
  /** Segments that are sealed: no block will be added to them. */
  sealed(): ReadonlySet<number>
  /**
   * Removes those of `sealed` that are mostly dead, after moving their live blocks. `live`: by segment, counted after `sealed` was
   * read. Corrupt copies are quarantined, and their segment remains. Runs with a duty cycle; on abort stops between two steps.
   */
  free(
    sealed: ReadonlySet<number>,
    live: ReadonlyMap<number, LiveBlocks>,
    dutyCycle: DutyCycle,
    signal: AbortSignal,
  ): Promise<Freed>
}
