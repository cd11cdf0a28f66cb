// The CID form (version and hash function) of a node and its copies. A changed node keeps the form of its CID.
// Tested by test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { cutMultihash, sha256Code } from '../../codec/ipld/multihash.ts'

export type CidFormat = { readonly version: 0 | 1; readonly hashCode: number }

/** For nodes without a form, as in Kubo. */
export const firstFormat: CidFormat = { version: 0, hashCode: sha256Code }

export function formatOf(cid: CID): CidFormat {
  return { version: cid.version, hashCode: cid.multihash.code }
}

/** Version 0 is used for dag-pb nodes only. Throws `command_failed` for an identity of more than 128 bytes. */
export function nameBlock(codec: number, { version, hashCode }: CidFormat, bytes: Uint8Array): CID {
  const isPlain = codec === dagPbCodec && hashCode === sha256Code
  return cidOf(isPlain ? version : 1, codec, cutMultihash(hashCode, null, bytes))
}
