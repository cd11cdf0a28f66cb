// Changes one entry of a directory. As in Kubo, a directory that grows past the limit of the import profile becomes sharded, and
// one that shrinks below it becomes a single node again.
// Tested by test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { createYielder } from '../../base/yielder.ts'
import { type DagLink, encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import type { Sharding } from '../../codec/ipld/import-profile.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { Metadata } from '../import/built.ts'
import { packChild } from '../import/folder-memory.ts'
import { buildHamt } from '../import/hamt.ts'
import { sortedByName } from '../import/import-directory.ts'
import { listDirectory } from '../read/list-directory.ts'
import { decodeNode, linkCid } from '../read/node.ts'
import { findEntry } from '../read/resolve.ts'
import { changeShard } from './change-shard.ts'
import type { CidFormat } from './cid-format.ts'
import type { Entry, TreeBlocks } from './tree.ts'

export type DirectoryChange = {
  readonly name: string
  /** Null: removes the entry. */
  readonly entry: Entry | null
  readonly sharding: Sharding
  /** Form of the directory's CID. */
  readonly format: CidFormat
  readonly blocks: TreeBlocks
}

/** Throws `command_failed` if the entry to remove is absent, or `cid` is no directory. */
export async function changeDirectory(cid: CID, change: DirectoryChange): Promise<Entry> {
  const { name, entry, blocks, format } = change
  const node = decodeNode(cid, await blocks.read(cid))
  if (node.kind === 'raw') throw failed('not a directory')
  const { type, mode, mtime } = node.unixfs
  if (type === 'directory') {
    const others = node.dag.links.filter((link) => link.name !== name)
    if (entry === null && others.length === node.dag.links.length) {
      throw failed('file does not exist')
    }
    const links = entry === null ? others : [...others, linkTo(name, entry)]
    return await putDirectory(links, { mode, mtime }, change)
  }
  if (type !== 'hamt') throw failed('not a directory')
  const small = await linksIfSmall(cid, change)
  if (small !== null) return await putDirectory(small, { mode, mtime }, change)
  return await changeShard(cid, format, { name, entry, blocks })
}

async function putDirectory(
  links: readonly DagLink[],
  metadata: Metadata,
  change: DirectoryChange,
): Promise<Entry> {
  const { blocks, format, sharding } = change
  const block = encodeDagNode({
    links: sortedByName(links),
    data: encodeUnixfs({ type: 'directory', ...metadata }),
  })
  if (isLarge(links, block.length, sharding)) {
    const children = links.map((link) => ({ name: link.name, packed: pack(link) }))
    const sink = {
      yielderFor: createYielder,
      put: async (_codec: number, _version: 0 | 1, bytes: Uint8Array) => blocks.node(format, bytes),
    }
    const options = { cidVersion: format.version, fanout: sharding.fanout }
    return await buildHamt(children, options, metadata, sink)
  }
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  return { cid: blocks.node(format, block), size: BigInt(block.length) + below }
}

function isLarge(links: readonly DagLink[], blockBytes: number, sharding: Sharding): boolean {
  const { linksMax, estimate, bytes } = sharding
  if (linksMax > 0 && links.length > linksMax) return true
  if (estimate === 'disabled') return false
  const size = estimate === 'block' ? blockBytes : links.reduce((sum, link) => sum + weigh(link), 0)
  return size > bytes
}

/** Bytes of the name and the CID. */
function weigh({ name, cid }: DagLink): number {
  return Buffer.byteLength(name) + cid.length
}

function pack(link: DagLink): string {
  return packChild({ cid: linkCid(link), size: link.size, bytes: 0n })
}

function linkTo(name: string, { cid, size }: Entry): DagLink {
  return { cid: cid.bytes, name, size }
}

/** All links after the change if they no longer need shards; null otherwise. Only changes that remove bytes are checked. */
async function linksIfSmall(cid: CID, change: DirectoryChange): Promise<readonly DagLink[] | null> {
  const { name, entry, sharding, blocks } = change
  const old = await findEntry(cid, name, blocks.read)
  if (old === null && entry === null) throw failed('file does not exist')
  if (entry !== null && (old === null || entry.cid.bytes.length >= old.bytes.length)) return null
  const links: DagLink[] = entry === null ? [] : [linkTo(name, entry)]
  let size = links.reduce((sum, link) => sum + weigh(link), 0)
  const { linksMax, estimate, bytes } = sharding
  for await (const each of listDirectory(cid, blocks.read, Number.MAX_SAFE_INTEGER)) {
    if (each.name === name) continue
    const link = linkTo(each.name, each)
    links.push(link)
    size += weigh(link)
    if (linksMax > 0 && links.length > linksMax) return null
    // Names and CIDs are shorter than the block.
    if (estimate !== 'disabled' && size > bytes) return null
  }
  if (estimate === 'disabled') return linksMax > 0 ? links : null
  if (estimate === 'links') return links
  const block = encodeDagNode({ links, data: encodeUnixfs({ type: 'directory' }) })
  return block.length > bytes ? null : links
}

/** A directory without entries. */
export function putEmptyDirectory(format: CidFormat, blocks: TreeBlocks): Entry {
  const block = encodeDagNode({ links: [], data: encodeUnixfs({ type: 'directory' }) })
  return { cid: blocks.node(format, block), size: BigInt(block.length) }
}

function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
