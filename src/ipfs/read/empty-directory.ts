// The empty directory, which every IPFS node has: the initial root of each account's file tree.
// Tested by test/files/mfs-kubo.test.ts
import { equalBytes } from '../../base/hex.ts'
import { cidOf, dagPbCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { sha256Name } from '../../codec/ipld/multihash.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'

export const emptyDirectory: Uint8Array = encodeDagNode({
  links: [],
  data: encodeUnixfs({ type: 'directory' }),
})
const emptyName = sha256Name(emptyDirectory)
export const emptyRoot = cidOf(0, dagPbCodec, emptyName)

export function isEmptyDirectory(multihash: Uint8Array): boolean {
  return multihash[2] === emptyName[2] && equalBytes(multihash, emptyName)
}
