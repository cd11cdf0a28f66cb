// Headers near the head with their parent links, for every branch that an upstream reports. Each header was proved by its hash
// before it was added, so the links are proved too, whichever upstream supplied them.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { equalBytes, toLatin1 } from '../../../base/hex.ts'

export type TreeBlock = {
  readonly hash: Uint8Array
  readonly number: bigint
  readonly parentHash: Uint8Array
}

export interface BlockTree {
  find(hash: Uint8Array): TreeBlock | null
  add(block: TreeBlock): void
  /** The block and its known ancestors, newest first; empty if it is unknown. */
  branch(hash: Uint8Array): Iterable<TreeBlock>
  /** Drops all but the branches of `heads`, at most `blocksEach` blocks of each: upstreams may name any block. */
  retain(heads: readonly Uint8Array[], blocksEach: number): void
  readonly size: number
}

/** The block of that number on the branch of `hash`, null if the tree does not contain it. */
export function blockAt(tree: BlockTree, hash: Uint8Array, number: bigint): TreeBlock | null {
  for (const one of tree.branch(hash)) if (one.number <= number) return one
  return null
}

/** True if the branch of `hash` contains `block`. */
export function isOnBranch(
  tree: BlockTree,
  hash: Uint8Array,
  block: Pick<TreeBlock, 'hash' | 'number'>,
): boolean {
  const found = blockAt(tree, hash, block.number)
  return found !== null && equalBytes(found.hash, block.hash)
}

export function createBlockTree(): BlockTree {
  const blocks = new Map<string, TreeBlock>()
  const find = (hash: Uint8Array): TreeBlock | null => blocks.get(toLatin1(hash)) ?? null

  function* branch(hash: Uint8Array): Iterable<TreeBlock> {
    for (let block = find(hash); block !== null; block = find(block.parentHash)) yield block
  }

  return {
    find,
    branch,
    add: (block) => void blocks.set(toLatin1(block.hash), block),
    retain(heads, blocksEach) {
      const retained = new Set<TreeBlock>()
      for (const hash of heads) {
        let steps = 0
        for (const block of branch(hash)) {
          if (steps++ >= blocksEach) break
          retained.add(block)
        }
      }
      for (const [key, block] of blocks) if (!retained.has(block)) blocks.delete(key)
    },
    get size() {
      return blocks.size
    },
  }
}
