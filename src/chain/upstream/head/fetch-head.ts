// The head that one upstream names, with its branch in the tree down to the chain we are on. Every header on the way is kept
// on disk: who goes on naming branches that meet nothing is followed ever less far.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { equalBytes } from '../../../base/hex.ts'
import type { BlockTree, TreeBlock } from './block-tree.ts'
import type { CanonicalBlocks } from './canonical-blocks.ts'
import type { HeadSource } from './head-source.ts'
import { gapMax, type FetchBranch } from './fetch-branch.ts'

/** What one head that meets nothing of ours counts, beside one that does; and what is remembered of them. */
const strayCost = 8
const strayMax = 64

/** Throws when nobody has its headers, or the upstream is of another chain. */
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
  /** How often each named a head that stands on nothing of ours; what it has made good is taken off. */
  const strays = new Map<HeadSource, number>()

  /** Does it stand on nothing of the chain we are on? Then it may be of another chain altogether. */
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
    // Counted first: a branch may also end in a header that nobody has.
    const before = strays.get(source) ?? 0
    strays.set(source, Math.min(before + strayCost, strayMax))
    const block = await reach.join(hash, latest.hash, stepsAfter(before), signal)
    // Where they meet may be further down than blocks were known.
    if (isApart(hash)) canonical.extend()
    if (isApart(hash)) await source.confirmChain(signal)
    else strays.set(source, Math.max(before - 1, 0))
    return block
  }
}

function stepsAfter(count: number): number {
  return Math.max(1, gapMax >> Math.floor(count / strayCost))
}
