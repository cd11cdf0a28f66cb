// Appends bytes to a file as Kubo does: continues a trickle DAG where it ends. A node has up to 174 leaves, then four subtrees of
// each depth; a file of another layout is continued by the same count of links.
// Rule: boxo/ipld/unixfs/importer/trickle
// Tested by test/files/mfs-kubo.test.ts
import { setImmediate } from 'node:timers/promises'
import type { BodyReader } from './body-reader.ts'
import type { CidFormat } from './cid-format.ts'
import {
  addPart,
  emptyNode,
  failed,
  type NodeFile,
  type Part,
  putLeaf,
  putNode,
  readPart,
} from './file-node.ts'
import type { TreeBlocks } from './tree.ts'

/** Leaves of a node before its subtrees, whatever the import profile: Kubo's constant. */
const leavesMax = 174
const subtreesPerDepth = 4
/** Deeper than any file within the limit of blocks. */
const depthMax = 32
/** Leaves between two yields to other work. */
const turnLeaves = 64

/** The form of new nodes, and the source of their bytes. */
export type Growth = {
  readonly body: BodyReader
  readonly chunkBytes: number
  readonly isRaw: boolean
  readonly format: CidFormat
  readonly blocks: TreeBlocks
}

/** Appends to `file` until the body ends. */
export async function appendParts(file: NodeFile, growth: Growth): Promise<void> {
  const { body } = growth
  let { depth, count } = placeOf(file)
  if (depth === 0) {
    await fillLeaves(file, growth)
    if (await body.done()) return
    depth = 1
  }
  await fillLastPart(file, depth - 1, count, growth)
  if (!(await body.done())) depth += 1
  await addSubtrees(file, depth, Number.POSITIVE_INFINITY, growth)
}

/** Where a node ends, counted as in Kubo: `count` subtrees of `depth` follow the leaves. */
function placeOf({ links }: NodeFile): { depth: number; count: number } {
  if (links.length < leavesMax) return { depth: 0, count: 0 }
  const subtrees = links.length - leavesMax
  return { depth: Math.floor(subtrees / subtreesPerDepth) + 1, count: subtrees % subtreesPerDepth }
}

async function fillLeaves(file: NodeFile, growth: Growth): Promise<void> {
  const { body, chunkBytes, isRaw, format, blocks } = growth
  let last = null as { readonly bytes: Uint8Array; readonly part: Part } | null
  while (file.links.length < leavesMax) {
    const bytes = await body.chunk(chunkBytes)
    if (bytes === null) return
    if (last?.bytes !== bytes) {
      last = { bytes, part: await putLeaf(bytes, { isRaw, format }, blocks) }
    }
    addPart(file, last.part)
    if (file.links.length % turnLeaves === 0) await setImmediate()
  }
}

/** Adds four subtrees of each depth, from `first` to below `end`. */
async function addSubtrees(
  file: NodeFile,
  first: number,
  end: number,
  growth: Growth,
): Promise<void> {
  for (let depth = first; depth < end && !(await growth.body.done()); depth += 1) {
    await addUpTo(file, 0, depth, growth)
  }
}

/** Adds subtrees of one depth until the node has `count` of them. */
async function addUpTo(
  file: NodeFile,
  count: number,
  depth: number,
  growth: Growth,
): Promise<void> {
  for (let at = count; at < subtreesPerDepth && !(await growth.body.done()); at += 1) {
    addPart(file, await makeSubtree(depth, growth))
  }
}

/** Recursion ends: `depth` falls. */
async function makeSubtree(depth: number, growth: Growth): Promise<Part> {
  if (depth > depthMax) throw failed(`file DAG is deeper than ${depthMax} levels`)
  const node = emptyNode('file', growth.format)
  await fillLeaves(node, growth)
  await addSubtrees(node, 1, depth, growth)
  return putNode(node, growth.blocks)
}

/** Fills the last subtree if it is not full. `depth` and `count` as Kubo passes them. */
async function fillLastPart(
  file: NodeFile,
  depth: number,
  count: number,
  growth: Growth,
): Promise<void> {
  if (file.links.length <= leavesMax) return
  const link = file.links.at(-1)
  if (link === undefined) return
  const last = await readPart(link, growth.blocks)
  if (last.kind === 'raw') throw failed('expected protobuf dag node')
  await growSubtree(last, depth - 1, growth)
  file.links.pop()
  file.blockSizes.pop()
  addPart(file, putNode(last, growth.blocks))
  if (count !== 0) await addUpTo(file, count, depth, growth)
}

async function growSubtree(node: NodeFile, depth: number, growth: Growth): Promise<void> {
  if (depth === 0 || (await growth.body.done())) return
  let { depth: own, count } = placeOf(node)
  if (own === 0) {
    await fillLeaves(node, growth)
    own = 1
  }
  if (own === depth) return
  await fillLastPart(node, own, count, growth)
  if (!(await growth.body.done())) own += 1
  await addSubtrees(node, own, depth, growth)
}
