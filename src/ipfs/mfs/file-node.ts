// A file of a tree during a change: one raw block, or a dag-pb node whose links and UnixFS message grow together.
// Tested by test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { type DagLink, encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { type UnixfsNode, encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import { decodeNode, linkCid } from '../read/node.ts'
import { type CidFormat, firstFormat, formatOf } from './cid-format.ts'
import type { Entry, TreeBlocks } from './tree.ts'

type RawFile = {
  readonly kind: 'raw'
  readonly bytes: Uint8Array
  readonly format: CidFormat
}

/** `unixfs.data`: bytes before those of the links. `blockSizes`: of the links, in the same order. */
export type NodeFile = {
  readonly kind: 'node'
  links: DagLink[]
  unixfs: Omit<UnixfsNode, 'blockSizes' | 'fileSize'>
  blockSizes: bigint[]
  format: CidFormat
}

export type FileNode = RawFile | NodeFile

/** An entry with the bytes of the file below it. */
export type Part = Entry & { readonly bytes: bigint }

/** A node without links. */
export function emptyNode(type: 'file' | 'raw', format: CidFormat): NodeFile {
  const unixfs = { type, data: null, hashType: null, fanout: null, mode: null, mtime: null }
  return { kind: 'node', links: [], unixfs, blockSizes: [], format }
}

/** Throws `command_failed` for a node that is not a file, or whose sizes do not add up. */
export function openFile(cid: CID, block: Uint8Array): FileNode {
  const node = decodeNode(cid, block)
  const format = formatOf(cid)
  if (node.kind === 'raw') return { kind: 'raw', bytes: node.bytes, format }
  const { blockSizes, fileSize: _, ...unixfs } = node.unixfs
  if (unixfs.type === 'symlink') throw failed('symlinks not yet supported')
  if (unixfs.type !== 'file' && unixfs.type !== 'raw') {
    throw failed("unsupported fsnode type for 'file'")
  }
  if (blockSizes.length !== node.dag.links.length) {
    throw failed('malformed file node: each link needs a blocksize')
  }
  return { kind: 'node', links: [...node.dag.links], unixfs, blockSizes: [...blockSizes], format }
}

export function inlineBytes({ unixfs }: NodeFile): Uint8Array {
  return unixfs.data ?? new Uint8Array()
}

export function sizeOf(file: FileNode): bigint {
  if (file.kind === 'raw') return BigInt(file.bytes.length)
  return file.blockSizes.reduce((sum, each) => sum + each, BigInt(inlineBytes(file).length))
}

export function addPart(file: NodeFile, { cid, size, bytes }: Part): void {
  file.links.push({ cid: cid.bytes, name: '', size })
  file.blockSizes.push(bytes)
}

/** Encodes the block of a node. */
export function encodeFile(file: NodeFile): Uint8Array {
  const { links, unixfs, blockSizes } = file
  return encodeDagNode({
    links,
    data: encodeUnixfs({ ...unixfs, fileSize: sizeOf(file), blockSizes }),
  })
}

/** Stores a node with links, or the root of a file. */
export function putNode(file: NodeFile, blocks: TreeBlocks): Part {
  const block = encodeFile(file)
  const cid = blocks.node(file.format, block)
  const below = file.links.reduce((sum, link) => sum + link.size, 0n)
  return { cid, size: BigInt(block.length) + below, bytes: sizeOf(file) }
}

/** Stores a node without links, below the root. */
export async function putLeaf(
  bytes: Uint8Array,
  { isRaw, format }: { readonly isRaw: boolean; readonly format: CidFormat },
  blocks: TreeBlocks,
): Promise<Part> {
  const node = emptyNode('raw', format)
  const block = isRaw ? bytes : encodeFile({ ...node, unixfs: { ...node.unixfs, data: bytes } })
  const cid = await blocks.leaf(isRaw ? rawCodec : dagPbCodec, format, block)
  return { cid, size: BigInt(block.length), bytes: BigInt(bytes.length) }
}

export async function readPart(link: DagLink, blocks: TreeBlocks): Promise<FileNode> {
  const cid = linkCid(link)
  return openFile(cid, await blocks.read(cid))
}

/** An empty file of Kubo: without a data field. */
export function emptyFile(format: CidFormat = firstFormat): NodeFile {
  return emptyNode('file', format)
}

export function failed(detail: string): Fault {
  return new Fault('command_failed', { detail })
}
