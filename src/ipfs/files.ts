// The interface of files: the methods that IPFS commands and the gateway call. Made by create-files.ts.
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
  /** Of a pin that is made; absent: as the account's setting. */
  readonly provide?: PinProvide
  /** The request that ends in the commit of the pin. `replaces`: CID of the pin that ends with it. */
  readonly request?: PinRequestClaim & { readonly replaces: Uint8Array | null }
}

/** How a file operation may look for content that is not here. */
export type FetchPolicy = {
  /** Never ask sources. */
  readonly offline: boolean
  /** The caller's own limit; null = the server's idle limit. */
  readonly timeoutMs: number | null
  /** Multiaddrs, with `/p2p/<peer ID>`, of peers of the IPFS network that are asked too; at most 20. */
  readonly origins?: readonly string[]
  /** Called with the CID of each block before it is read; what it throws ends the operation. Absent: all may be read. */
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
  /** The account's tree, to be read. */
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
   * Imports entries as `account`, streaming with bounded memory, and yields Kubo's events in order. The last
   * event is given only after everything, pins included, is durable; with `progress` each top-level entry is
   * committed on its own, else all or nothing. `proceed` is asked right before a commit: false = the caller
   * is gone, commit nothing. Throws `command_failed` with Kubo's texts, `no_space`, `unsupported_option`.
   */
  import(
    entries: AsyncIterable<UploadEntry>,
    options: ImportOptions,
    context: {
      readonly accountId: string
      /** Of the pins. */
      readonly provide?: PinProvide
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): AsyncGenerator<ImportEvent>

  /**
   * Keeps the blocks of CAR files, each hashed: all of all files or none, durable before the first event. Then pins
   * the roots that their headers name, those that are whole, without asking sources. Memory is bounded by two groups
   * of blocks. Throws `command_failed` for files that are malformed or cut short, `too_large`, `no_space`, `hung_up`.
   */
  importCars(
    cars: AsyncIterable<AsyncIterable<Uint8Array>>,
    options: CarImportOptions,
    context: {
      readonly accountId: string
      /** Of the pins. */
      readonly provide?: PinProvide
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): AsyncGenerator<CarImportEvent>

  /**
   * The DAG below `cid` as a CARv1, depth first, no block twice, none that lies in its own CID. Each block is verified
   * before it is written; nothing is given before the first is there. `partial`: leaves out what is not here.
   */
  exportCar(
    cid: CID,
    partial: boolean,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>

  /**
   * The CID that a path names (`<cid>`, `/ipfs/<cid>/a/b`, `ipfs://…`, `/ipns/<name>/a`): walks directories. Throws
   * `command_failed` with Kubo's texts.
   */
  resolve(path: string, patience: FetchPolicy, signal: AbortSignal): Promise<CID>

  /** The last block on a path and what it names inside it, for commands on nodes. Throws as `resolve`. */
  resolveNode(path: string, patience: FetchPolicy, signal: AbortSignal): Promise<ResolvedNode>

  /** The walk of a path with all it went through. Throws as `resolve`. */
  trace(path: ContentPath, patience: FetchPolicy, signal: AbortSignal): Promise<TracedPath>

  /**
   * The blocks of a path and of what it leads to, depth first, each verified. Bounded in blocks. One of 64 KiB or more
   * is valid until the next one is asked for.
   */
  select(
    path: TracedPath,
    selection: DagScope,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<SelectedBlock>

  /** Is the block in the store? A look at the index alone. Identity CIDs are always here. */
  has(cid: CID): Promise<boolean>

  /**
   * Is the CID pinned, as v0 or v1, or below a recursive pin, by that account, or with null by anyone? `whole`: with all
   * below, which a direct pin does not hold.
   */
  isPinned(
    cid: CID,
    by: { readonly accountId: string | null; readonly whole: boolean },
  ): Promise<boolean>

  /**
   * The bytes of one file from `offset` on, at most `length`, each chunk verified before it is yielded and valid
   * until the next one is asked for. Resolves once the first block is verified; `size` is the file's whole size.
   */
  open(
    cid: CID,
    range: { readonly offset: bigint; readonly length: bigint | null },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): Promise<{ readonly size: bigint; readonly chunks: AsyncIterable<Uint8Array> }>

  /** What kind of node it is, how large, and its metadata. Throws `command_failed` for what is no UnixFS. */
  stat(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<NodeStat>

  /**
   * The entries of a directory, sharded or not, in the order they stand; of a file its chunks, without names.
   * Bounded; throws `command_failed` for nodes that are malformed or not UnixFS.
   */
  list(cid: CID, patience: FetchPolicy, signal: AbortSignal): AsyncIterable<DirectoryEntry>

  /**
   * Every link below `cid` as it is met, depth first, each `from` before what is below it. `depthMax` levels,
   * null = all; `unique`: each target once. Bounded in links.
   */
  refs(
    cid: CID,
    how: { readonly depthMax: number | null; readonly unique: boolean },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<Reference>

  /** Every block below `cid`, itself included, each once by multihash. Bounded in blocks. */
  blocks(
    cid: CID,
    patience: FetchPolicy,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly cid: CID; readonly block: Uint8Array | null }>

  /** How much of the DAG below `cid` is in the store: whether all of it, and the bytes of distinct blocks. */
  locality(
    cid: CID,
    signal: AbortSignal,
  ): Promise<{ readonly whole: boolean; readonly bytes: bigint }>

  /** Only the size of a file, for `cat` of several arguments. Throws as `open` for what is no file. */
  size(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<bigint>

  /**
   * Pins once all blocks the mode needs are here; replaces the name. Calls `progress` with counts. Throws `NothingChanged`
   * if the pin names a request that was removed or that another try took over.
   */
  pin(
    accountId: string,
    pin: Pin,
    patience: FetchPolicy,
    progress: (blocks: number, bytes: bigint) => void,
    signal: AbortSignal,
  ): Promise<void>

  /**
   * Pins `to` under the name of the recursive pin `from`, once all its blocks are here; with `unpin` the old
   * pin goes in the same commit. Only the account's own pins count. Texts: Kubo's.
   */
  movePin(
    accountId: string,
    pins: { readonly from: CID; readonly to: CID; readonly unpin: boolean },
    patience: FetchPolicy,
    signal: AbortSignal,
  ): Promise<void>

  /** One block as it is stored, verified. */
  block(cid: CID, patience: FetchPolicy, signal: AbortSignal): Promise<Uint8Array>

  /**
   * Keeps one block that the caller made; durable when it resolves. `pin`: pins it, once all below it is
   * here, in the same commit. `proceed` false = the caller is gone, commit nothing.
   */
  putBlock(
    block: { readonly cid: CID; readonly bytes: Uint8Array },
    pin: boolean,
    patience: FetchPolicy,
    context: {
      readonly accountId: string
      /** Of the pin. */
      readonly provide?: PinProvide
      readonly proceed: () => boolean
      readonly signal: AbortSignal
    },
  ): Promise<void>

  /**
   * Ends what keeps the block for the account without a pin; deleted if no other reference remains. Null, or why not: a
   * pin of the account reaches it, or it is not here and `force` is false. Texts: Kubo's.
   */
  removeBlock(
    accountId: string,
    cid: CID,
    force: boolean,
    signal: AbortSignal,
  ): Promise<string | null>

  /** Ends all that the account keeps without a pin; yields the blocks that it kept by nothing else, as raw CIDs. */
  releaseUnpinned(accountId: string, signal: AbortSignal): AsyncIterable<CID>

  /** Removes the account's own pin. Texts: Kubo's. */
  unpin(accountId: string, cid: CID, recursive: boolean): Promise<void>

  /** The account's pins, recursive ones first, then direct ones; each group by the bytes of its CIDs. */
  pins(accountId: string, signal: AbortSignal): AsyncIterable<Pin>

  /** Null: the account has not pinned exactly that CID. */
  findPin(accountId: string, cid: CID): Promise<Pin | null>

  /**
   * CIDs below the account's recursive pins that are not pinned themselves, each with the root it is under; a block that
   * is linked by several CIDs is listed under each. A walk over stored blocks only; stops with the signal. `sought`: at least
   * these, those that are pinned directly too, and no pin is walked that reaches none of them.
   */
  indirect(
    accountId: string,
    signal: AbortSignal,
    sought?: readonly CID[],
  ): AsyncIterable<{ readonly cid: CID; readonly root: CID }>

  /**
   * What the account keeps by pins, and for a while without: distinct blocks by multihash, and their bytes. As of
   * the last commit.
   */
  stored(accountId: string): Promise<AccountStorage>

  /**
   * Every block that the account keeps, each once, as raw CIDs; pins that were not counted yet are left out. As of the
   * rows while it goes. Throws `command_failed` where very many blocks are below several pins.
   */
  held(accountId: string, signal: AbortSignal): AsyncIterable<CID>

  /** The file trees of accounts. */
  readonly mfs: Mfs

  /** Each recursive pin of the account with the blocks below it that are lost or wrong, at most 1001. */
  verifyPins(
    accountId: string,
    signal: AbortSignal,
  ): AsyncIterable<{
    readonly cid: CID
    readonly lost: readonly { readonly cid: CID; readonly reason: string }[]
  }>
}
