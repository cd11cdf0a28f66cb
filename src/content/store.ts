// The Store keeps bytes by ContentRef. Every implementation runs test/suites/store.suite.ts.
import type { DutyCycle } from '../base/duty-cycle.ts'
import type { Statement } from '../db/writer.ts'
import type { QuarantineFlag } from './quarantine-rows.ts'
import type { ContentRef, UnverifiedItem } from './ref.ts'

/**
 * Who verifies: the caller, before (`keep`, `commit`) and after (`obtain`); a Store never judges bytes.
 * Order: what `commit` resolved is readable at once by every method of the same Store.
 */
export interface Store {
  /** The stored bytes, or null. Bytes of an open or discarded Batch are never returned. */
  find(ref: ContentRef): Uint8Array | null
  has(ref: ContentRef): boolean
  /**
   * What `refs` name, in their order; read ahead without holding the thread, neighbours in one read, which is a
   * group. Two groups are valid at a time: when a third is asked for, the first is gone. After an error they stay valid
   * until `return`, which is to be called then too.
   */
  read(refs: readonly ContentRef[], signal: AbortSignal): AsyncGenerator<ReadBatch>
  /**
   * All items and all rows, or nothing; durable when it resolves. An item that is already there is left
   * as it is. Throws `no_space` when the device or the configured size is full; nothing is kept then.
   */
  commit(items: readonly UnverifiedItem[], rows?: readonly Statement[]): Promise<readonly number[]>
  /** Opens a Batch for content that is too large to be held in memory at once. */
  batch(): Batch
  /** As `find`, by a new read of the disk, past all that is remembered of it: for a copy that failed verification. */
  findAgain(ref: ContentRef): Uint8Array | null
  /** The same of a copy in quarantine. */
  findQuarantined(ref: ContentRef): Uint8Array | null
  /**
   * A copy that failed verification more than once: it is no longer found, and a commit of the same ref replaces it. Until
   * then its bytes stay where they are.
   */
  quarantine(ref: ContentRef): Promise<void>
  /** The copy in quarantine is good: it is found again. */
  release(ref: ContentRef): Promise<void>
  /** Whether any copy is in quarantine, to be asked before `findQuarantined`. */
  readonly quarantineFlag: QuarantineFlag
}

/**
 * `leaf`: `data` is the file bytes of a dag-pb leaf, whose block has the frame of codec/ipld/leaf-frame.ts around
 * them; else `data` is the whole block.
 */
export type StoredChunk = { readonly data: Uint8Array; readonly leaf: boolean }

/** What came in one read, one piece at least. Null: not here, or its bytes cannot be read. */
export type ReadBatch = readonly (StoredChunk | null)[]

/** Content on its way in: on disk as it arrives, invisible until `commit`, gone after a crash. */
export interface Batch {
  /** Under which the table `staged` lists what was put, until the commit. */
  readonly id: string
  /**
   * Resolves when the bytes have left memory; the caller waits for it (back-pressure). `tree`: a number of the
   * caller's, one for each root: which of the rows in `staged` are its blocks, those that were here before too.
   */
  put(items: readonly UnverifiedItem[], tree?: number): Promise<void>
  /** File bytes that are cut into equal leaves and named by sha2-256 on their way to disk. */
  leaves(cut: LeafCut, onLeaf: (leaf: FileLeaf) => void, tree?: number): LeafWriter
  /**
   * Makes everything put so far visible together with `rows`, atomically and durably. Once. `rows` run when the
   * blocks are in the table `block`, and may read `staged` of this batch.
   */
  commit(rows?: readonly Statement[]): Promise<readonly number[]>
  /** Drops everything. Safe to call at any time, also after a failure; no effect after `commit`. */
  discard(): Promise<void>
}

/**
 * `bytes`: of each leaf but the last; divides 4 MiB. `form`: what the blocks of the leaves are. `late`: they may be told
 * of later than in the `write` that completes them, in order still.
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
   * Copies `piece` and tells of each leaf that is complete, before it returns unless the cut is `late`. Null, or a
   * promise to wait for before the next call; it rejects when the bytes cannot be written.
   */
  write(piece: Uint8Array): Promise<void> | null
  /** Tells of all leaves up to the last, which may be shorter; no bytes are no leaf. Before the batch's commit. */
  end(): Promise<void>
}

/**
 * Forgets dag-blocks, by multihash, except those that somebody is charged for (the table `charge`) and those that an
 * open batch or a commit under way counts on. Resolves with how many were forgotten. At most 2000 at a time; one that
 * is put anew meanwhile is kept.
 */
export type Forget = (multihashes: readonly Uint8Array[]) => Promise<number>

/** What lives in one segment: bytes as stored, and the lowest and highest id of the rows in `block`. */
export type LiveBlocks = { readonly bytes: number; readonly first: number; readonly last: number }

/** `bytes`: of the disk, that are free now. */
export type Freed = { readonly segments: number; readonly bytes: number }

export interface Segments {
  /** Segments that change no more: no block will ever be added to them. */
  sealed(): ReadonlySet<number>
  /**
   * Removes those of `sealed` in which little or nothing lives; what does is moved before. `live`: by segment, counted
   * after `sealed` was asked. Bad copies go to quarantine, and their segment stays. Goes on at that pace; stops with the signal, between two steps.
   */
  free(
    sealed: ReadonlySet<number>,
    live: ReadonlyMap<number, LiveBlocks>,
    dutyCycle: DutyCycle,
    signal: AbortSignal,
  ): Promise<Freed>
}
