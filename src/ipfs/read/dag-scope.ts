// The blocks of a DAG that a client needs to verify a read itself (select-blocks.ts sends them).
// Rule: https://specs.ipfs.tech/http-gateways/trustless-gateway/ (dag-scope, entity-bytes)
// Tested by src/ipfs-gateway/path-car.test.ts
import type { CID } from 'multiformats/cid'

/** `from`, `to`: both included; negative ones count from the end; `to` null: to the end. */
export type EntityBytes = { readonly from: bigint; readonly to: bigint | null }

/**
 * The part of the DAG below the path's end: only its root block; the file or directory, for a file limited to the blocks of
 * `bytes`; or everything. `duplicates`: a block is sent each time it is reached.
 */
export type DagScope = {
  readonly scope: 'block' | 'entity' | 'all'
  readonly bytes: EntityBytes | null
  readonly duplicates: boolean
}

export type SelectedBlock = { readonly cid: CID; readonly block: Uint8Array }
