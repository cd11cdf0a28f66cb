// The interface of files, which IPFS commands and the gateway call. Implemented by create-files.ts.
import type { CID } from 'multiformats/cid'
import type { PinProvide } from '../base/provide.ts'
import type { ImportProfile } from '../codec/ipld/import-profile.ts'
import type { MfsTree } from './mfs/tree.ts'
import type { AccountStorage } from './pins/account-storage.ts'
import type { UploadEntry, ImportEvent, ImportOptions } from './import/upload-entry.ts'
import type { CarImportEvent, CarImportOptions } from './cars/import-cars.ts'
import type { DirectoryEntry, NodeStat, Reference } from './read/listed.ts'
import type { ContentPath, ResolvedNode, TracedPath } from './read/path.ts'
import type { PinRequestClaim } from '../tables/pinning/pin-requests.ts'
import type { SelectedBlock, DagScope } from './read/dag-scope.ts'

export type PinMode = 'recursive' | 'direct'
export type Pin = {
  readonly cid: CID
  readonly mode: PinMode
  readonly name: string
  /** For a new pin; absent: the account's setting applies. */
  readonly provide?: PinProvide
  /** ID of the API key that adds the pin; absent: unknown. An existing pin keeps its own. */
  readonly keyId?: string
  /** The pin request that ends in the commit of this pin. `replaces`: CID of the pin that the commit removes. */
  readonly request?: PinRequestClaim & { readonly replaces: Uint8Array | null }
}

/** How a file operation may search for content that is not stored locally. */
export type FetchPolicy = {
  /** Do not request blocks from sources. */
  readonly offline: boolean
  /** The caller's time limit; null: the server's idle limit. */
  readonly timeoutMs: number | null
  /** Multiaddrs, with `/p2p/<peer ID>`, of additional IPFS peers to query; at most 20. */
  readonly origins?: readonly string[]
  /**
   * Called with the CID of each block before it is read; if it throws, the operation ends with that error. Absent: all blocks may
   * be read.
   */
  readonly permit?: (cid: CID) => void
}

export type MfsCall = {
  readonly accountId: string
  /** Import options of the key: the form of new nodes, and when directories are sharded. */
  readonly profile: ImportProfile
  readonly patience: FetchPolicy
  /** Called right before a commit; false: the client has disconnected, and nothing is committed. */
  readonly proceed: () => boolean
  readonly signal: AbortSignal
}

export interface Mfs {
  /** Opens the account's tree for reading. */
  open(call: MfsCall): Promise<MfsTree>
  /**
   * Changes the tree with `work`, durable when it resolves. If another change is committed first, `work` runs again on the
   * new tree. `prepare` runs once before `work`, without blocking other changes; if one of them is committed first, the change
   * is refused with `overloaded`. `frees`: succeeds over the storage quota. Throws what `work` and the store throw.
   */
  change<Result, Prepared = null>(
    call: MfsCall,
    change: {
      readonly prepare?: (tree: MfsTree) => Promise<Prepared>
      readonly work: (tree: MfsTree, prepared: Prepared | null) => Promise<Result>
      readonly frees?: true
    },
  ): Promise<Result>
}

export interface Files {
  /**
   * Imports entries for an account, streaming with bounded memory, and yields Kubo's events in order. The last event is yielded
   * only after everything, pins included, is durable. With `progress` each top-level entry is committed separately, otherwise all
   * or nothing. `proceed` is called right before a commit; false: the client has disconnected, and nothing is committed. Throws
   * `command_failed` with Kubo's texts, `no_space`, `unsupported_option`.
   */
  import(
    entries: AsyncIterable<UploadEntry>,
    options: ImportOptions,
    context: {
      readonly accountId: string
      /** For the pins. */
      readonly provide?: PinProvide
      readonly keyId?: string
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): AsyncGenerator<ImportEvent>

  /**
   * Stores the blocks of CAR files, each verified by its hash: all of all files or none, durable before the first event. Then pins
   * the roots named in their headers if their DAGs are complete, without requests to sources. Memory is bounded by two groups of
   * blocks. Throws `command_failed` for files that are malformed or cut short, `too_large`, `no_space`, `hung_up`.
   */
  importCars(
    cars: AsyncIterable<AsyncIterable<Uint8Array>>,
    options: CarImportOptions,
    context: {
      readonly accountId: string
      /** For the pins. */
      readonly provide?: PinProvide
      readonly keyId?: string
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): AsyncGenerator<CarImportEvent>

  /**
   * The DAG below `cid` as a CARv1, depth first, each block once, identity blocks included. Each block is verified before it
   * is written; nothing is yielded before the root's block was read. `partial`: omits blocks that are not stored.
   */
  exportCar(
    cid: CID,
    partial: boolean,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>

  /**
   * Resolves a path (`<cid>`, `/ipfs/<cid>/a/b`, `ipfs://…`, `/ipns/<name>/a`) to its CID by walking directories. Throws
   * `command_failed` with Kubo's texts.
   */
  resolve(path: string, patience: FetchPolicy, signal: AbortSignal): Promise<CID>

  /**
   * The last block on a path and the remaining segments, which name a part of that block; for commands on nodes. Throws as
   * `resolve`.
   */
  resolveNode(path: string, patience: FetchPolicy, signal: AbortSignal): Promise<ResolvedNode>

  /** Walks a path and records all nodes and blocks on it. Throws as `resolve`. */
  trace(path: ContentPath, patience: FetchPolicy, signal: AbortSignal): Promise<TracedPath>

  /**
   * The blocks of a path and of the selected part of its target, depth first, each verified. The number of blocks is limited. A
   * block of 64 KiB or more is valid until the next one is requested.
   */
  select(
    path: TracedPath,
    selection: DagScope,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<SelectedBlock>

  /** Whether the block is in the store, by the index alone. True for all identity CIDs. */
  has(cid: CID): Promise<boolean>

  /**
   * Whether the account, or with null any account, pins the CID as v0 or v1, directly or below a recursive pin. `recursive`: with
   * all blocks below it, so a direct pin does not count.
   */
  isPinned(
    cid: CID,
    by: { readonly accountId: string | null; readonly recursive: boolean },
  ): Promise<boolean>

  /**
   * The bytes of one file from `offset` on, at most `length`. Each chunk is verified before it is yielded, and valid until the next
   * one is requested. Resolves once the first block is verified; `size` is the size of the whole file.
   */
  open(
    cid: CID,
    range: { readonly offset: bigint; readonly length: bigint | null },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): Promise<{ readonly size: bigint; readonly chunks: AsyncIterable<Uint8Array> }>

  /** Type, size and metadata of a node. Throws `command_failed` if it is not UnixFS. */
  stat(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<NodeStat>

  /**
   * The entries of a directory, sharded or not, in stored order; for a file its chunks, without names. The number of entries is
   * limited. Throws `command_failed` for nodes that are malformed or not UnixFS.
   */
  list(cid: CID, patience: FetchPolicy, signal: AbortSignal): AsyncIterable<DirectoryEntry>

  /**
   * Every link below `cid` in depth-first order, each link before the links below it. `depthMax`: number of levels, null: all.
   * `unique`: each target once. The number of links is limited.
   */
  refs(
    cid: CID,
    how: { readonly depthMax: number | null; readonly unique: boolean },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<Reference>

  /** Every block below `cid`, `cid` included, each multihash once. The number of blocks is limited. */
  blocks(
    cid: CID,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly cid: CID; readonly block: Uint8Array | null }>

  /** How much of the DAG below `cid` is stored: whether it is complete, and the bytes of distinct blocks. */
  locality(
    cid: CID,
    signal: AbortSignal,
  ): Promise<{ readonly complete: boolean; readonly bytes: bigint }>

  /** The size of a file, for `cat` with several arguments. Throws as `open` if it is not a file. */
  size(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<bigint>

  /**
   * Pins when all blocks that the mode requires are stored; replaces the name. Calls `progress` with counts. Throws
   * `NothingChanged` if the pin's request was removed or another try took it over.
   */
  pin(
    accountId: string,
    pin: Pin,
    patience: FetchPolicy,
    progress: (blocks: number, bytes: bigint) => void,
    signal: AbortSignal,
  ): Promise<void>

  /**
   * Pins `to` under the name of the recursive pin `from` when all its blocks are stored; with `unpin` the same commit removes the
   * old pin. Only the account's own pins count. Throws with Kubo's texts.
   */
  movePin(
    accountId: string,
    pins: {
      readonly from: CID
      readonly to: CID
      readonly unpin: boolean
      /** As in Pin, for `to`. */
      readonly keyId?: string
    },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): Promise<void>

  /** One stored block, verified. */
  block(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<Uint8Array>

  /**
   * Stores one block of the client; durable when it resolves. `pin`: pins it in the same commit, when all blocks below it are
   * stored. `proceed` returns false: the client has disconnected, and nothing is committed.
   */
  putBlock(
    block: { readonly cid: CID; readonly bytes: Uint8Array },
    pin: boolean,
    patience: FetchPolicy,
    context: {
      readonly accountId: string
      /** For the pin. */
      readonly provide?: PinProvide
      readonly keyId?: string
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): Promise<void>

  /**
   * Ends the account's leases on the block; deletes it if no other reference remains. Returns null, or the reason for refusing: a
   * pin of the account reaches it, or it is not stored and `force` is false. Kubo's texts.
   */
  removeBlock(
    accountId: string,
    cid: CID,
    force: boolean,
    signal: AbortSignal,
  ): Promise<string | null>

  /** Ends all leases of the account; yields the blocks that only these leases held, as raw CIDs. */
  releaseUnpinned(accountId: string, signal: AbortSignal): AsyncIterable<CID>

  /** Removes the account's own pin. Throws with Kubo's texts. */
  unpin(accountId: string, cid: CID, recursive: boolean): Promise<void>

  /** The account's pins, recursive ones first, then direct ones; each group ordered by the bytes of the CIDs. */
  pins(accountId: string, signal: AbortSignal): AsyncIterable<Pin>

  /** Null: the account has not pinned this exact CID. */
  findPin(accountId: string, cid: CID): Promise<Pin | null>

  /**
   * CIDs below the account's recursive pins that are not pinned themselves, each with its root. A block that is linked by several
   * CIDs is listed under each. Walks stored blocks only; stops with the signal. `sought`: lists at least these CIDs, even if they
   * are pinned directly, and skips pins that reach none of them.
   */
  indirect(
    accountId: string,
    signal: AbortSignal,
    sought?: readonly CID[],
  ): AsyncIterable<{ readonly cid: CID; readonly root: CID }>

  /** The account's storage, by pins and by leases: distinct blocks by multihash, and their bytes. As of the last commit. */
  stored(accountId: string): Promise<AccountStorage>

  /**
   * Every block that the account stores, each once, as raw CIDs; pins that are not counted yet are left out. Rows may change during
   * the iteration. Throws `command_failed` if too many blocks are below several pins.
   */
  storedBlocks(accountId: string, signal: AbortSignal): AsyncIterable<CID>

  /** The file trees of accounts. */
  readonly mfs: Mfs

  /** Each recursive pin of the account with its missing or corrupt blocks, at most 1001. */
  verifyPins(
    accountId: string,
    signal: AbortSignal,
  ): AsyncIterable<{
    readonly cid: CID
    readonly lost: readonly { readonly cid: CID; readonly reason: string }[]
  }>
}
