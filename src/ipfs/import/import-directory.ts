// Nodes other than files: directories, sharded if they have too many links, and symlinks.
// Tested by src/ipfs/import/import.test.ts
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { type BlockSink, blockBytesMax, overSize } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { ImportOptions } from './upload-entry.ts'
import { buildHamt } from './hamt.ts'
import { type NamedChild, linkBytes, linkOf } from './folder-memory.ts'

export type DirectoryOptions = Pick<ImportOptions, 'cidVersion' | 'sharding'>

/** Builds the directory of `children`, in any order; names must differ. Links are sorted by the bytes of the name. */
export async function importDirectory(
  children: readonly NamedChild[],
  { cidVersion, sharding }: DirectoryOptions,
  metadata: Metadata,
  sink: BlockSink,
): Promise<Built> {
  const hamt = { cidVersion, fanout: sharding.fanout }
  // The older size rule counts only the names and CIDs, without framing, so the block is at least this long.
  const bytesMin = children.reduce((sum, child) => sum + linkBytes(child), 0)
  const shards =
    (sharding.linksMax > 0 && children.length > sharding.linksMax) ||
    (sharding.estimate !== 'disabled' && bytesMin > sharding.bytes)
  if (shards) return await buildHamt(children, hamt, metadata, sink)
  // `sink.put` would refuse such a block.
  if (bytesMin > blockBytesMax) throw overSize()
  const links = sortedByName(children).map(linkOf)
  const block = encodeDagNode({ links, data: encodeUnixfs({ type: 'directory', ...metadata }) })
  if (sharding.estimate === 'block' && block.length > sharding.bytes) {
    return await buildHamt(children, hamt, metadata, sink)
  }
  const cid = await sink.put(dagPbCodec, cidVersion, block)
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  return { cid, size: BigInt(block.length) + below, bytes: 0n }
}

/** A symlink stores at most a modification time, never a mode. */
export async function importSymlink(
  target: string,
  cidVersion: 0 | 1,
  mtime: Metadata['mtime'],
  sink: BlockSink,
): Promise<Built> {
  const data = encodeUnixfs({
    type: 'symlink',
    data: Buffer.from(target, 'utf8'),
    ...noMetadata,
    mtime,
  })
  const block = encodeDagNode({ links: [], data })
  const cid = await sink.put(dagPbCodec, cidVersion, block)
  return { cid, size: BigInt(block.length), bytes: 0n }
}

/** Sorts by UTF-8 bytes, which differs from the order of JavaScript strings outside the basic plane. */
export function sortedByName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  // Without surrogates both orders are the same, and comparing strings takes a fraction of the time.
  if (!items.some(({ name }) => /[\ud800-\udfff]/.test(name))) {
    return items.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  }
  return items
    .map((item) => ({ item, key: Buffer.from(item.name, 'utf8') }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ item }) => item)
}
