// Changes of a file tree by commands, with Kubo's rules and texts.
// Tested by test/files/mfs-kubo.test.ts, src/kubo/commands/mfs/mfs-commands.test.ts
import type { CID } from 'multiformats/cid'
import { dagPbCodec, rawCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { Mtime } from '../import/upload-entry.ts'
import { decodeNode } from '../read/node.ts'
import { type CidFormat, firstFormat, formatOf } from './cid-format.ts'
import { emptyFile, putNode } from './file-node.ts'
import { failed, isPathBelow, joinPath, segmentsOf, splitPath } from './mfs-path.ts'
import type { Found, MfsTree } from './tree.ts'
import { entryOf, notThere } from './mfs-tree.ts'
import type { Entry } from './tree.ts'
import { type FileWrite, writeFile } from './write-file.ts'

export async function makeDirectory(
  tree: MfsTree,
  path: string,
  { parents, format }: { readonly parents: boolean; readonly format: CidFormat },
): Promise<void> {
  const segments = segmentsOf(path)
  if (segments.length === 0) {
    if (parents) return
    throw failed("cannot create directory '/': Already exists")
  }
  if (!parents) {
    const above = segments.slice(0, -1)
    const { kind } = await tree.get(above)
    if (kind === 'file') throw failed(`${above.slice(0, -1).join('/')} was not a directory`)
    if ((await tree.find(segments)) !== null) throw failed('file already exists')
  }
  await tree.makeDirectories(segments, format)
}

/** Adds an entry at a path that has none. `path`: as the client sent it, because a slash at its end matters. */
export async function putEntry(tree: MfsTree, path: string, entry: Entry): Promise<void> {
  const { parent, name } = splitPath(path)
  if (name === '' || path.endsWith('/')) throw failed('cannot create file with empty name')
  await getDirectory(tree, parent)
  if ((await tree.find([...parent, name])) !== null) {
    throw failed('directory already has entry by that name')
  }
  await tree.set([...parent, name], entry)
}

/** Removes the file at `path`, if there is one. */
export async function removeFile(tree: MfsTree, path: string): Promise<void> {
  const { parent, name } = splitPath(path)
  const above = await tree.find(parent)
  if (above === null) return
  if (above.kind === 'file') throw failed(`not a directory: ${joinPath(parent)}/`)
  const found = await tree.find([...parent, name])
  if (found === null) return
  if (found.kind !== 'file') throw failed(`not a file: ${path}`)
  await tree.set([...parent, name], null)
}

async function getDirectory(tree: MfsTree, path: readonly string[]): Promise<Found> {
  const found = await tree.get(path)
  if (found.kind === 'file') throw failed(`${slashed(path)} is not a directory`)
  return found
}

/** As Go splits a path: with a slash at the end. */
function slashed(path: readonly string[]): string {
  return path.length === 0 ? '/' : `${joinPath(path)}/`
}

/** Replaces a file; into a directory, moves under the same name. */
export async function moveEntry(tree: MfsTree, from: string, to: string): Promise<void> {
  const source = splitPath(from)
  const target = to.endsWith('/') ? { parent: segmentsOf(to), name: source.name } : splitPath(to)
  await getDirectory(tree, target.parent)
  await getDirectory(tree, source.parent)
  const path = [...source.parent, source.name]
  if (source.name === '' || from.endsWith('/')) throw failed(notThere)
  const { cid } = await tree.get(path)
  const entry = await entryOf(cid, tree.blocks)
  let end: readonly string[] = [...target.parent, target.name]
  const found = await tree.find(end)
  if (found?.kind === 'directory' && joinPath(end) !== joinPath(path)) {
    end = [...end, source.name]
    if ((await tree.find(end)) !== null) throw failed('directory already has entry by that name')
  }
  if (joinPath(end) === joinPath(path)) return
  // Kubo would lose the directory.
  if (isPathBelow(end, path)) throw failed(`cannot move ${from} into itself`)
  await tree.set(path, null)
  await tree.set(end, entry)
}

export async function removeEntry(
  tree: MfsTree,
  path: string,
  { recursive, force }: { readonly recursive: boolean; readonly force: boolean },
): Promise<void> {
  if (path === '/') throw failed('cannot delete root')
  const { parent, name } = splitPath(path)
  const above = await tree.find(parent)
  if (above?.kind === 'file') {
    throw failed("expected *mfs.Directory, didn't get it. This is likely a race condition")
  }
  const segments = [...parent, name]
  // With `force` the node itself is not read, because its block may be missing.
  const found = above === null || force ? null : await tree.find(segments)
  if (!force) {
    if (found === null) throw failed(notThere)
    if (found.kind === 'directory' && !recursive) {
      throw failed('path is a directory, use -r to remove directories')
    }
  }
  if (above === null) return
  try {
    await tree.set(segments, null)
  } catch (thrown) {
    if (!force || !(thrown instanceof Error) || thrown.message !== notThere) throw thrown
  }
}

export type StatChange = { readonly mode?: number | null; readonly mtime?: Mtime }

/** A raw block becomes a node, because it cannot store a mode or a time. */
export async function changeStat(tree: MfsTree, path: string, stat: StatChange): Promise<void> {
  const segments = segmentsOf(path)
  const { cid } = await tree.get(segments)
  const { blocks } = tree
  const node = decodeNode(cid, await blocks.read(cid))
  const isRaw = node.kind === 'raw'
  const links = isRaw ? [] : node.dag.links
  const unixfs = isRaw
    ? { type: 'file' as const, data: node.bytes, fileSize: BigInt(node.bytes.length) }
    : node.unixfs
  const format = isRaw ? firstFormat : formatOf(cid)
  const block = encodeDagNode({ links, data: encodeUnixfs({ ...unixfs, ...stat }) })
  const below = links.reduce((sum, link) => sum + link.size, 0n)
  const entry = { cid: blocks.node(format, block), size: BigInt(block.length) + below }
  await tree.set(segments, entry)
}

/** Re-encodes the node of the directory with another CID form. */
export async function changeFormat(
  tree: MfsTree,
  path: string,
  format: CidFormat | null,
): Promise<void> {
  if (format === null) return
  const segments = segmentsOf(path)
  const { cid, kind } = await tree.get(segments)
  if (kind !== 'directory') throw failed('can only update directories')
  const block = await tree.blocks.read(cid)
  const { size } = await entryOf(cid, tree.blocks)
  await tree.set(segments, { cid: tree.blocks.node(format, block), size })
}

export type MfsWrite = FileWrite & {
  readonly create: boolean
  readonly parents: boolean
  /** Of new directories and of a new file. */
  readonly format: CidFormat
}

/** `base`: CID of the file before the write; null: the write created it. */
export type Written = { readonly base: CID | null; readonly entry: Entry }

/** The written file, which is not in the tree yet. With `parents`, adds the missing directories to the tree. */
export async function makeWritten(tree: MfsTree, path: string, write: MfsWrite): Promise<Written> {
  const { parent, name } = splitPath(path)
  if (name === '') throw failed('/ was not a file')
  if (write.parents) await tree.makeDirectories(parent, write.format)
  const found = await tree.find([...parent, name])
  if (found?.kind === 'directory') throw failed(`${path} was not a file`)
  if (found === null && !write.create) throw failed(notThere)
  if (found === null && (await tree.get(parent)).kind === 'file') {
    throw failed("expected *mfs.Directory, didn't get it. This is likely a race condition")
  }
  const { blocks } = tree
  const base = found?.cid ?? null
  const first = base ?? putNode(emptyFile(write.format), blocks).cid
  return { base, entry: await writeFile(first, write, blocks) }
}

/** Whether a node may be copied into a tree: UnixFS in dag-pb, or a raw block. */
export function isUnixfs(cid: CID, block: Uint8Array): boolean {
  if (cid.code === rawCodec) return true
  if (cid.code !== dagPbCodec) return false
  return decodeNode(cid, block).kind === 'unixfs'
}
