// The nodes of a file above its leaves.
// Tested by src/ipfs/import/import.test.ts
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { BlockSink } from './block-sink.ts'
import type { Built, Metadata } from './built.ts'
import type { ImportOptions } from './upload-entry.ts'

export type LayoutOptions = Pick<ImportOptions, 'cidVersion' | 'maxFileLinks'>

/** Leaves in, in the order of the file; one root out. */
export interface Layout {
  /** How many leaves are in. */
  readonly leaves: number
  /** Null, or a promise to wait for. Throws what the sink throws. */
  add(leaf: Built): Promise<void> | null
  /** The root, with its metadata. Balanced: of two leaves or more, as one leaf is the root itself. */
  close(metadata: Metadata): Promise<Built>
}

/** The node of `children`; none make the empty file. Throws what the sink throws. */
export async function putFileNode(
  children: readonly Built[],
  own: Metadata,
  cidVersion: 0 | 1,
  sink: BlockSink,
): Promise<Built> {
  const links = children.map(({ cid, size }) => ({ cid: cid.bytes, name: '', size }))
  const bytes = children.reduce((sum, child) => sum + child.bytes, 0n)
  const blockSizes = children.map((child) => child.bytes)
  const data = encodeUnixfs({ type: 'file', fileSize: bytes, blockSizes, ...own })
  const block = encodeDagNode({ links, data })
  const cid = await sink.put(dagPbCodec, cidVersion, block)
  const below = children.reduce((sum, child) => sum + child.size, 0n)
  return { cid, size: BigInt(block.length) + below, bytes }
}
