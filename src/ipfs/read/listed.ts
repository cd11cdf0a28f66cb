// Types for nodes and links, as returned by `stat`, `list` and `refs` of src/ipfs/files.ts.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import type { Mtime } from '../import/upload-entry.ts'

export type NodeStat = {
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Bytes of a file, or of a symlink's target; 0 for a directory. */
  readonly size: bigint
  /** Size of the block plus the sizes that its links claim. */
  readonly cumulativeSize: bigint
  readonly links: number
  /** Target of a symlink, otherwise ''. */
  readonly target: string
  /** Null: not set. */
  readonly mode: number | null
  readonly mtime: Mtime | null
}

/** `size`: Tsize, the claimed size of the DAG below the link. */
export type DirectoryEntry = { readonly name: string; readonly cid: CID; readonly size: bigint }

/** One link: the node that contains it, its target, and its name ('' if it has none). */
export type Reference = { readonly from: CID; readonly to: CID; readonly name: string }
