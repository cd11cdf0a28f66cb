// The trickle layout of a file's leaves: a node holds its leaves first, then four subtrees of each depth in turn,
// so that the start of a file is near its root.
// Tested by src/ipfs/import/import.test.ts
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built } from './built.ts'
import { putFileNode, type Layout, type LayoutOptions } from './file-node.ts'

/** Subtrees of one depth below one node. */
const subtreesPerDepth = 4

/** A node that still takes children. `depth` and `subtrees`: of the subtrees it is at. */
type Open = {
  readonly depthMax: number
  readonly children: Built[]
  depth: number
  subtrees: number
}

/** A root is made of any number of leaves, none and one among them. Holds a path of open nodes. */
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
