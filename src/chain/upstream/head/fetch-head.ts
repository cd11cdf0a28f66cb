// Fetches the head that one upstream reports, with its branch in the tree down to the canonical chain. Every header on
// the way is stored on disk, so an upstream that repeatedly reports unrelated branches is followed for fewer and fewer
// steps.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { equalBytes } from '../../../base/hex.ts'
import type { BlockTree, TreeBlock } from './block-tree.ts'
import type { CanonicalBlocks } from './canonical-blocks.ts'
import type { HeadSource } from './head-source.ts'
import { gapMax, type FetchBranch } from './fetch-branch.ts'

/** Added to the counter for a head without a common ancestor; a head with one subtracts 1. And the maximum of the counter. */
const strayCost = 8
const strayMax = 64

/** Throws if no upstream has its headers, or the upstream serves another chain. */
export type FetchHead = (
  source: HeadSource,
  hash: Uint8Array,
  signal: AbortSignal,
) => Promise<TreeBlock>

export function createFetchHead(
  tree: BlockTree,
  canonical: CanonicalBlocks,
  reach: FetchBranch,
): FetchHead {
  /** Counter per upstream of heads unrelated to the canonical chain; related heads reduce it. */
  const strays = new Map<HeadSource, number>()

  /** True if it has no known ancestor in the canonical chain: it may belong to another chain altogether. */
  function isApart(hash: Uint8Array): boolean {
    if (canonical.latest === null) return false
    for (const block of tree.branch(hash)) {
      const ours = canonical.find(block.number)
      if (ours !== null && equalBytes(ours.hash, block.hash)) return false
    }
    return true
  }

  return async (source, hash, signal) => {
    const { latest } = canonical
    if (latest === null) return await reach.plant(hash, signal)
    // Counted before the fetch, because a branch may also end in a header that no upstream has.
    const before = strays.get(source) ?? 0
    strays.set(source, Math.min(before + strayCost, strayMax))
    const block = await reach.join(hash, latest.hash, stepsAfter(before), signal)
    // The common ancestor may be below the known blocks.
    if (isApart(hash)) canonical.extend()
    if (isApart(hash)) await source.confirmChain(signal)
    else strays.set(source, Math.max(before - 1, 0))
    return block
  }
}

function stepsAfter(count: number): number {
  return Math.max(1, gapMax >> Math.floor(count / strayCost))
}
