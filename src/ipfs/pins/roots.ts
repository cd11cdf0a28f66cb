// Names of roots, the sets of blocks that accounts store by pins and leases. A root's closure is all blocks that a batch put
// under one tree. The batch's commit writes it, and it is never walked again.
import type { CID } from 'multiformats/cid'
import type { RootName } from '../../tables/roots.ts'

export function rootOf(cid: CID, mode: 'recursive' | 'direct'): RootName {
  return { hash: cid.multihash.bytes, codec: cid.code, mode }
}

/** The root of a batch that no CID names. */
export function looseRoot(batch: string): RootName {
  return { hash: new TextEncoder().encode(batch), codec: 0, mode: 'loose' }
}
