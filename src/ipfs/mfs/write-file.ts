// Writes into a file at an offset: overwrites the affected leaves and the nodes above them, and appends the rest. The result has
// Kubo's CID for bodies up to 2 MiB; for longer bodies Kubo's CID depends on how the bytes arrive.
// Rule: boxo/ipld/unixfs/mod
// Tested by test/files/mfs-kubo.test.ts
import type { CID } from 'multiformats/cid'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import type { Mtime } from '../import/upload-entry.ts'
import { linkCid } from '../read/node.ts'
import { appendParts, type Growth } from './append-parts.ts'
import { type BodyReader, createZeros } from './body-reader.ts'
import { firstFormat, formatOf } from './cid-format.ts'
import {
  addPart,
  emptyNode,
  encodeFile,
  failed,
  type FileNode,
  inlineBytes,
  type NodeFile,
  openFile,
  type Part,
  putLeaf,
  putNode,
  readPart,
  sizeOf,
} from './file-node.ts'
import type { Entry, TreeBlocks } from './tree.ts'

export type FileWrite = {
  readonly offset: bigint
  /** Truncates the file first. */
  readonly truncate: boolean
  readonly body: BodyReader
  /** Null: determined by the CID of the file. */
  readonly rawLeaves: boolean | null
  readonly chunkBytes: number
  /** A file with a modification time gets this one. */
  readonly now: Mtime
}

/** Size of leaves that fill a gap between the end of the file and the offset. */
const gapChunkBytes = 4096
/** Maximum number of zeros that one write creates: they cost the client nothing, but the server a hash for each leaf. */
const gapBytesMax = 1024n * 1024n * 1024n
/** Same depth limit as for reads. */
const depthMax = 64

type Change = { readonly blocks: TreeBlocks; readonly body: BodyReader; readonly now: Mtime }

/** Returns the changed copy of the file with this CID. Throws `command_failed` if it is not a file. */
export async function writeFile(cid: CID, write: FileWrite, blocks: TreeBlocks): Promise<Entry> {
  const { body, offset, chunkBytes, now } = write
  const format = formatOf(cid)
  const isRaw = write.rawLeaves ?? format.version > 0
  const change = { blocks, body, now }
  let file = openFile(cid, await blocks.read(cid))
  if (write.truncate && sizeOf(file) > 0n) file = await emptied(file, change, 0)
  const size = sizeOf(file)
  if (offset - size > gapBytesMax) {
    throw failed(
      `offset ${offset} is more than ${gapBytesMax} bytes behind the end of the file (${size})`,
    )
  }
  if (offset > size) {
    const zeros = createZeros(offset - size)
    const growth = { body: zeros, chunkBytes: gapChunkBytes, isRaw, format, blocks }
    file = await append(file, growth, now)
  }
  if (!(await body.done())) {
    file = await overwrite(file, offset, change, 0)
    if (!(await body.done())) {
      file = await append(file, { body, chunkBytes, isRaw, format, blocks }, now)
    }
  }
  return await finish(file, isRaw, blocks)
}

async function append(file: FileNode, growth: Growth, now: Mtime): Promise<NodeFile> {
  if (file.kind === 'node') {
    await appendParts(file, growth)
    if (file.unixfs.mtime !== null) file.unixfs = { ...file.unixfs, mtime: now }
    return file
  }
  // A raw block has no links, so it becomes the first leaf of a node.
  const { format, blocks } = growth
  const node = emptyNode('file', format)
  const cid = await blocks.leaf(rawCodec, file.format, file.bytes)
  const size = BigInt(file.bytes.length)
  addPart(node, { cid, size, bytes: size })
  await appendParts(node, { ...growth, isRaw: true })
  return node
}

/** As in an import, a node with a single raw leaf is replaced by the leaf. */
async function finish(file: FileNode, isRaw: boolean, blocks: TreeBlocks): Promise<Entry> {
  if (file.kind === 'raw') {
    const cid = await blocks.leaf(rawCodec, file.format, file.bytes)
    return { cid, size: BigInt(file.bytes.length) }
  }
  const { links, unixfs } = file
  const [only] = links
  const isPlain = unixfs.mode === null && unixfs.mtime === null && inlineBytes(file).length === 0
  if (isRaw && isPlain && only !== undefined && links.length === 1) {
    const cid = linkCid(only)
    if (cid.code === rawCodec) return { cid, size: only.size }
  }
  return putNode(file, blocks)
}

/** The file without content. As in Kubo, a node without links gets the default CID form. */
async function emptied(file: FileNode, change: Change, depth: number): Promise<FileNode> {
  if (file.kind === 'raw') return { ...file, bytes: new Uint8Array() }
  const { mtime } = file.unixfs
  const unixfs = {
    ...file.unixfs,
    data: new Uint8Array(),
    mtime: mtime === null ? null : change.now,
  }
  if (file.links.length === 0 || inlineBytes(file).length > 0) {
    return { ...file, links: [], blockSizes: [], unixfs, format: firstFormat }
  }
  if (depth > depthMax) throw failed(`file DAG is deeper than ${depthMax} levels`)
  const node: NodeFile = { ...file, links: [], blockSizes: [] }
  for (const link of file.links) {
    const part = await readPart(link, change.blocks)
    if (sizeOf(part) === 0n) {
      node.links.push(link)
      node.blockSizes.push(0n)
      continue
    }
    const empty = await emptied(part, change, depth + 1)
    addPart(node, await putPart(empty, change.blocks))
    break
  }
  return node
}

async function putPart(file: FileNode, blocks: TreeBlocks): Promise<Part> {
  if (file.kind === 'raw') {
    return await putLeaf(file.bytes, { isRaw: true, format: file.format }, blocks)
  }
  if (file.links.length > 0) return putNode(file, blocks)
  const block = encodeFile(file)
  const cid = await blocks.leaf(dagPbCodec, file.format, block)
  return { cid, size: BigInt(block.length), bytes: sizeOf(file) }
}

/** Overwrites bytes from `offset` to the end of the file or of the body. Links keep their sizes. */
async function overwrite(
  file: FileNode,
  offset: bigint,
  change: Change,
  depth: number,
): Promise<FileNode> {
  if (file.kind === 'raw') {
    const bytes = Uint8Array.from(file.bytes)
    await change.body.fill(bytes.subarray(Number(offset)))
    return { ...file, bytes }
  }
  const inline = inlineBytes(file)
  let { data, mtime } = file.unixfs
  if (offset < BigInt(inline.length)) {
    data = Uint8Array.from(inline)
    await change.body.fill(data.subarray(Number(offset)))
  }
  // Kubo sets the time only on a node without links.
  if (file.links.length === 0 && mtime !== null) mtime = change.now
  const node: NodeFile = { ...file, unixfs: { ...file.unixfs, data, mtime } }
  if (depth > depthMax) throw failed(`file DAG is deeper than ${depthMax} levels`)
  let from = offset
  let at = BigInt(inline.length)
  for (const [index, size] of node.blockSizes.entries()) {
    const end = at + size
    const link = node.links[index]
    if (end > from && link !== undefined) {
      if (await change.body.done()) break
      const start = from > at ? from - at : 0n
      const part = await overwrite(await readPart(link, change.blocks), start, change, depth + 1)
      const { cid } = await putPart(part, change.blocks)
      node.links[index] = { ...link, cid: cid.bytes }
      from = end
    }
    at = end
  }
  return node
}
