// Types for nodes and links, as returned by `stat`, `list` and `refs` of src/ipfs/files.ts.
// Tested by src/kubo/commands/files/listings.test.ts
import type { CID } from 'multiformats/cid'
import type { Mtime } from '../import/upload-entry.ts'

export type NodeStat = {
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Bytes of a file, of a symlink's target; 0 for a directory. */
  readonly size: bigint
  /** The block and the sizes its links claim. */
  readonly cumulativeSize: bigint
  readonly links: number
  /** Of a symlink, else ''. */
  readonly target: string
  /** Null = not set. */
  readonly mode: number | null
  readonly mtime: Mtime | null
}

/** `size`: Tsize, the claimed size of the DAG below. */
export type DirectoryEntry = { readonly name: string; readonly cid: CID; readonly size: bigint }

/** One link: the node it stands in, what it leads to, and its name there ('' when it has none). */
export type Reference = { readonly from: CID; readonly to: CID; readonly name: string }
