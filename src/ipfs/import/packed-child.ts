// An entry of a folder in the making, held in a tenth of the memory that its CID and size take as objects: a folder of a
// million files is held until its last file has come.
// Tested by src/ipfs/import/import-tree.test.ts
import type { DagLink } from '../../codec/ipld/dag-pb.ts'
import { encodeVarint } from '../../codec/ipld/protobuf.ts'
import { toLatin1 } from '../../base/hex.ts'
import type { Built } from './built.ts'

/** Size as a varint, then the binary CID, each byte one character. */
export type PackedChild = string

export type NamedChild = { readonly name: string; readonly packed: PackedChild }

export function packChild({ cid, size }: Built): PackedChild {
  return toLatin1(Buffer.concat([encodeVarint(size), cid.bytes]))
}

export function linkOf({ name, packed }: NamedChild): DagLink {
  const end = endOfSize(packed)
  let size = 0n
  for (let at = end - 1; at >= 0; at -= 1) {
    size = (size << 7n) | BigInt(packed.charCodeAt(at) & 0x7f)
  }
  return { cid: Buffer.from(packed.slice(end), 'latin1'), name, size }
}

/** Bytes of its name and CID, none of what frames them. */
export function linkBytes({ name, packed }: NamedChild): number {
  return Buffer.byteLength(name) + packed.length - endOfSize(packed)
}

function endOfSize(packed: PackedChild): number {
  let end = 1
  while (packed.charCodeAt(end - 1) >= 0x80) end += 1
  return end
}
