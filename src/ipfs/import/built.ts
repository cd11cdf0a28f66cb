// A finished node of an import, as its parent needs it.
// Tested by src/ipfs/import/import.test.ts
import type { CID } from 'multiformats/cid'

/** `size`: cumulative DAG size. `bytes`: file bytes below it (0 for directories and symlinks). */
export type Built = { readonly cid: CID; readonly size: bigint; readonly bytes: bigint }

/** The metadata that a node itself stores. */
export type Metadata = {
  readonly mode: number | null
  readonly mtime: { readonly seconds: bigint; readonly nanos: number } | null
}

export const noMetadata: Metadata = { mode: null, mtime: null }
