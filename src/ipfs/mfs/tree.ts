// The file tree of an account as commands and changes see it, and its blocks.
// Tested by src/ipfs/mfs/mfs.test.ts
import type { CID } from 'multiformats/cid'
import type { CidFormat } from './cid-format.ts'

/** A block of the tree as its parent links it. `size`: cumulative. */
export type Entry = { readonly cid: CID; readonly size: bigint }

export type TreeBlocks = {
  /** Reads blocks of this change, and blocks that `read` finds. */
  read(cid: CID): Promise<Uint8Array>
  /** Computes the CID of a node and holds the node in memory until the commit. */
  node(format: CidFormat, bytes: Uint8Array): CID
  /** Computes the CID of a leaf and stages it. Waits while blocks are being stored. */
  leaf(codec: number, format: CidFormat, bytes: Uint8Array): Promise<CID>
  /** Holds a block that another part of the server read. */
  adopt(cid: CID, bytes: Uint8Array): void
  /** The bytes of a node that this change created; `staged`: a leaf, which has no links. Null: the change did not create it. */
  made(cid: CID): Uint8Array | 'staged' | null
  /** Whether the change created or read the block. */
  isKnown(cid: CID): boolean
  /** Stages a block for the commit. */
  stage(cid: CID, bytes: Uint8Array): Promise<void>
  /** Resolves when all staged blocks have left memory. */
  flush(): Promise<void>
  /** Resolves when no block is being stored any more, also after a failure. */
  settled(): Promise<void>
}

export type NodeKind = 'file' | 'directory'

export type Found = { readonly cid: CID; readonly kind: NodeKind }

export type MfsTree = {
  readonly root: CID
  readonly blocks: TreeBlocks
  /** Null: the entry does not exist. Throws `command_failed` if a segment before the last is not a directory. */
  find(path: readonly string[]): Promise<Found | null>
  /** As `find`, but throws `file does not exist`. */
  get(path: readonly string[]): Promise<Found>
  /** Sets the entry at a path, whose directory must exist; null removes the entry. The root can only be replaced. */
  set(path: readonly string[], entry: Entry | null): Promise<void>
  /** Creates the directory and all missing parents. Throws if one of them is a file. */
  makeDirectories(path: readonly string[], format: CidFormat): Promise<void>
}
