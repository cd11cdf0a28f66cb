// The layouts of a file's leaves. Balanced: a full node becomes the first child of a new level. Trickle: a node holds its leaves
// first, then four subtrees of each depth, in increasing depth. Both hold at most one unfinished node for each level.
// Tested by src/ipfs/import/import.test.ts
import { dagPbCodec } from '../../codec/ipld/cid.ts'
import { encodeDagNode } from '../../codec/ipld/dag-pb.ts'
import { encodeUnixfs } from '../../codec/ipld/unixfs.ts'
import type { BlockSink } from './block-sink.ts'
import { type Built, type Metadata, noMetadata } from './built.ts'
import type { ImportOptions } from './upload-entry.ts'

export type LayoutOptions = Pick<ImportOptions, 'cidVersion' | 'maxFileLinks'>

/** Takes leaves in the order of the file and builds one root. */
export interface Layout {
  /** Number of leaves added. */
  readonly leaves: number
  /** Null, or a promise to await. Throws the errors of the sink. */
  add(leaf: Built): Promise<void> | null
  /** The root, with its metadata. Balanced: needs two leaves or more; a single leaf is the root itself. */
  close(metadata: Metadata): Promise<Built>
}

export function createBalanced(options: LayoutOptions, sink: BlockSink): Layout {
  const levels: Built[][] = []
  let leaves = 0

  /** Adds a node to its level; a full level is first closed into one node of the next level. */
  async function place(node: Built, depth: number): Promise<void> {
    let level = depth
    let carried: Built | null = node
    while (carried !== null) {
      const nodes: Built[] = (levels[level] ??= [])
      const full: Built[] | null = nodes.length >= options.maxFileLinks ? nodes.splice(0) : null
      nodes.push(carried)
      carried = full === null ? null : await parent(full, noMetadata)
      level += 1
    }
  }

  function parent(children: readonly Built[], own: Metadata): Promise<Built> {
    return putFileNode(children, own, options.cidVersion, sink)
  }

  return {
    get leaves() {
      return leaves
    },
    add(leaf) {
      leaves += 1
      const nodes: Built[] = (levels[0] ??= [])
      if (nodes.length >= options.maxFileLinks) return place(leaf, 0)
      nodes.push(leaf)
      return null
    },
    async close(metadata) {
      for (let level = 0; ; level += 1) {
        const nodes = levels[level] ?? []
        if (level === levels.length - 1) return await parent(nodes, metadata)
        await place(await parent(nodes, noMetadata), level + 1)
      }
    },
  }
}

/** Subtrees of one depth below one node. */
const subtreesPerDepth = 4

/** An unfinished node. `depth`: of its current subtrees; `subtrees`: how many of that depth it has. */
type Open = {
  readonly depthMax: number
  readonly children: Built[]
  depth: number
  subtrees: number
}

/** Builds a root over any number of leaves, including zero and one. Holds a path of unfinished nodes. */
export function createTrickle(options: LayoutOptions, sink: BlockSink): Layout {
  const path: Open[] = [openNode(Number.POSITIVE_INFINITY)]
  let leaves = 0

  async function place(leaf: Built): Promise<void> {
    let node = path.at(-1) as Open
    while (node.children.length >= options.maxFileLinks) {
      if (node.depth < node.depthMax) path.push(openNode(node.depth))
      else await closeLast()
      node = path.at(-1) as Open
    }
    node.children.push(leaf)
  }

  /** The last node of the path becomes a child of the one above it. */
  async function closeLast(): Promise<void> {
    const { children } = path.pop() as Open
    const above = path.at(-1) as Open
    above.children.push(await putFileNode(children, noMetadata, options.cidVersion, sink))
    above.subtrees += 1
    if (above.subtrees < subtreesPerDepth) return
    above.subtrees = 0
    above.depth += 1
  }

  return {
    get leaves() {
      return leaves
    },
    add(leaf) {
      leaves += 1
      return place(leaf)
    },
    async close(metadata) {
      while (path.length > 1) await closeLast()
      const { children } = path[0] as Open
      return await putFileNode(children, metadata, options.cidVersion, sink)
    },
  }
}

function openNode(depthMax: number): Open {
  return { depthMax, children: [], depth: 1, subtrees: 0 }
}

/** Stores a node with `children`; without children, the empty file. Throws the errors of the sink. */
async function putFileNode(
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
