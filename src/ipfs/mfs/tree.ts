// The file tree of an account as commands and changes see it, and the blocks that it is made of.
// Tested by src/ipfs/mfs/mfs.test.ts
import type { CID } from 'multiformats/cid'
import type { CidFormat } from './cid-format.ts'

/** A block of the tree as its parent links it. `size`: cumulative. */
export type Entry = { readonly cid: CID; readonly size: bigint }

export type TreeBlocks = {
  /** Reads what this change made, and what `read` finds. */
  read(cid: CID): Promise<Uint8Array>
  /** Names a node and keeps it until the commit. */
  node(format: CidFormat, bytes: Uint8Array): CID
  /** Names a leaf and stages it. Waits while blocks are being stored. */
  leaf(codec: number, format: CidFormat, bytes: Uint8Array): Promise<CID>
  /** Keeps a block that another part of the server read. */
  adopt(cid: CID, bytes: Uint8Array): void
  /** The bytes of a node of this change; `staged`: it is a leaf, which has no links. Null: the change did not make it. */
  made(cid: CID): Uint8Array | 'staged' | null
  /** Whether the change made or read the block. */
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
  /** Null: there is none. Throws `command_failed` if a segment before the last is no directory. */
  find(path: readonly string[]): Promise<Found | null>
  /** As `find`, but throws `file does not exist`. */
  get(path: readonly string[]): Promise<Found>
  /** Sets the entry at a path, whose directory must exist; null removes it. The root alone: replaces it. */
  set(path: readonly string[], entry: Entry | null): Promise<void>
  /** Makes the directory and those above it, as far as they are missing. Throws if one is a file. */
  makeDirectories(path: readonly string[], format: CidFormat): Promise<void>
}
