// The form of the CIDs that a node and its copies get: version and hash function. A changed node keeps the form of its CID.
// Tested by test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { cutMultihash, sha256Code } from '../../codec/ipld/multihash.ts'

export type CidFormat = { readonly version: 0 | 1; readonly hashCode: number }

/** Of nodes without a form of their own, as in Kubo. */
export const firstFormat: CidFormat = { version: 0, hashCode: sha256Code }

export function formatOf(cid: CID): CidFormat {
  return { version: cid.version, hashCode: cid.multihash.code }
}

/** CIDs of version 0 are of dag-pb nodes only. Throws `command_failed` for an identity of more than 128 bytes. */
export function nameBlock(codec: number, { version, hashCode }: CidFormat, bytes: Uint8Array): CID {
  const isPlain = codec === dagPbCodec && hashCode === sha256Code
  return cidOf(isPlain ? version : 1, codec, cutMultihash(hashCode, null, bytes))
}
