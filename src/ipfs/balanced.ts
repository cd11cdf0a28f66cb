// The balanced layout of a file's leaves: a node that is full becomes the first child of a new level. Holds at
// most `maxFileLinks` links a level. Rules: contract-files 6.2, 6.4.
// Tested by src/ipfs/import.test.ts
import { dagPbCodec } from '../codec/cid.ts'
import { encodeDagNode } from '../codec/dag-pb.ts'
import { encodeUnixfs } from '../codec/unixfs.ts'
import type { BlockSink } from './block-sink.ts'
import { noMetadata, type Built, type Metadata } from './built.ts'
import type { ImportOptions } from './entry.ts'

export type LayoutOptions = Pick<ImportOptions, 'cidVersion' | 'maxFileLinks'>

/** Leaves in, in the order of the file; one root out. */
export interface Layout {
  /** How many leaves are in. */
  readonly leaves: number
  /** Null, or a promise to wait for. Throws what the sink throws. */
  add(leaf: Built): Promise<void> | null
  /** The root of two leaves or more, with its metadata. */
  close(metadata: Metadata): Promise<Built>
}

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

  async function parent(children: readonly Built[], own: Metadata): Promise<Built> {
    const links = children.map(({ cid, size }) => ({ cid: cid.bytes, name: '', size }))
    const bytes = children.reduce((sum, child) => sum + child.bytes, 0n)
    const blockSizes = children.map((child) => child.bytes)
    const data = encodeUnixfs({ type: 'file', fileSize: bytes, blockSizes, ...own })
    const block = encodeDagNode({ links, data })
    const cid = await sink.put(dagPbCodec, options.cidVersion, block)
    const below = children.reduce((sum, child) => sum + child.size, 0n)
    return { cid, size: BigInt(block.length) + below, bytes }
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
