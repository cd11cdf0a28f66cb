// Input and events of `add`, independent of HTTP: the IPFS API creates entries, ipfs/import/import.ts reads them.
import type { CID } from 'multiformats/cid'
import type { Sharding } from '../../codec/ipld/import-profile.ts'
import type { Chunker } from './chunk.ts'

/** Modification time: `seconds` since 1970 (may be negative), `nanos` 0..999999999. */
export type Mtime = { readonly seconds: bigint; readonly nanos: number }

/** The bytes of a file, to be read once, in one of two ways. */
export interface FileContent extends AsyncIterable<Uint8Array> {
  /**
   * Passes each piece to `take` as it arrives; faster than iteration. Optional. A piece is valid until `take` returns or its
   * promise settles; the next piece follows after that. Throws the errors of reading and of `take`.
   */
  readonly drain?: (take: (piece: Uint8Array) => Promise<void> | null) => Promise<void>
}

/** One part of an upload, in arrival order. `path`: cleaned, `/`-separated, '' when unnamed. */
export type UploadEntry = {
  readonly path: string
  readonly mode?: number
  readonly mtime?: Mtime
} & (
  | { readonly kind: 'file'; readonly content: FileContent }
  | { readonly kind: 'directory' }
  | { readonly kind: 'symlink'; readonly target: string }
)

/** Every option that changes the CID or the stored blocks. The IPFS API validates them, in Kubo's order. */
export type ImportOptions = {
  readonly cidVersion: 0 | 1
  readonly rawLeaves: boolean
  readonly chunker: Chunker
  readonly layout: 'balanced' | 'trickle'
  /** One of `hashNames`. */
  readonly hash: string
  readonly maxFileLinks: number
  /** The rule for sharding directories. */
  readonly sharding: Sharding
  readonly inline: boolean
  readonly inlineLimit: number
  readonly onlyHash: boolean
  readonly wrap: boolean
  readonly emptyDirs: boolean
  readonly silent: boolean
  readonly progress: boolean
  readonly pin: boolean
  readonly pinName: string
  /** Set by the query: applies to every entry and overrides the values of entries. */
  readonly mode?: number
  readonly mtime?: Mtime
  /** Whether to use the mode and mtime that an entry declares. */
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
}

/** One event of `add`, in Kubo's order. */
export type ImportEvent =
  | { readonly kind: 'progress'; readonly name: string; readonly bytes: number }
  | {
      readonly kind: 'added'
      readonly name: string
      readonly cid: CID
      /** Cumulative DAG size: serialized block + sum of link Tsizes. */
      readonly size: bigint
      /** As declared by the top-level entry, repeated on each of its events. */
      readonly mode?: number
      readonly mtime?: Mtime
    }
