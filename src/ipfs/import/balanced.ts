// The balanced layout of a file's leaves: a node that is full becomes the first child of a new level. Holds at
// most `maxFileLinks` links a level.
// Tested by src/ipfs/import/import.test.ts
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import { putFileNode, type Layout, type LayoutOptions } from './file-node.ts'

export function createBalanced(options: LayoutOptions, sink: BlockSink): Layout {
  const levels: Built[][] = []
  let leaves = 0

  /** Puts a node on its level; a level that is full already becomes one node of the next. */
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
