// Selects the head from the votes: the light client's block, otherwise a trusted upstream's head, otherwise the highest block that
// a quorum has in its chain. The chain of a node that is ahead includes all ancestors of its head, so a slow node does not prevent
// agreement.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { equalBytes, toLatin1 } from '../../../base/hex.ts'
import type { Anchor } from '../../head.ts'
import { type BlockTree, type TreeBlock, blockAt, isOnBranch } from './block-tree.ts'

/** The head that one upstream reports; the block is in the tree. */
export type HeadVote = {
  readonly hash: Uint8Array
  readonly trusted: boolean
  /** Anchor of the light client's block; null: an upstream's vote. */
  readonly anchor: Anchor | null
}

export type HeadRule = {
  /** Number of upstreams that must agree. */
  readonly quorum: number
  /** Number of all upstreams, reachable or not. */
  readonly upstreams: number
  /** Maximum of blocks by which a trusted upstream may be ahead of the light client. */
  readonly aheadMax: number
  /** True: without a block of the light client there is no head. */
  readonly isConsensusRequired: boolean
}

export type ChosenHead = { readonly block: TreeBlock; readonly anchor: Anchor }

/** Null if too few agree. `current`: preferred among blocks of the same height. */
export function chooseHead(
  votes: readonly HeadVote[],
  tree: BlockTree,
  rule: HeadRule,
  current: Uint8Array | null,
): ChosenHead | null {
  const { quorum, upstreams } = rule
  const trusted = votes.filter((vote) => vote.trusted)
  for (const { hash, anchor } of votes) {
    const block = anchor === null ? null : tree.find(hash)
    if (anchor === null || block === null) continue
    return newestAbove(block, trusted, tree, rule.aheadMax) ?? { block, anchor }
  }
  if (rule.isConsensusRequired) return null
  if (trusted.length > 0) {
    const block = highest(supportOf(trusted, tree), 1, current)?.block
    return block === undefined ? null : { block, anchor: 'trusted' }
  }
  const needed = Math.min(quorum, upstreams)
  const found = highest(supportOf(votes, tree), needed, current)
  if (found === null) return null
  const anchor = upstreams === 1 ? 'single' : (`quorum:${found.count}/${upstreams}` as const)
  return { block: found.block, anchor: needed === 1 ? 'single' : anchor }
}

/** The newest block of a trusted upstream that descends from `signed`, at most `aheadMax` blocks above; null: none. */
function newestAbove(
  signed: TreeBlock,
  trusted: readonly HeadVote[],
  tree: BlockTree,
  aheadMax: number,
): ChosenHead | null {
  let newest = signed
  for (const { hash } of trusted) {
    const block = blockAt(tree, hash, signed.number + BigInt(aheadMax))
    if (block !== null && block.number > newest.number && isOnBranch(tree, hash, signed)) {
      newest = block
    }
  }
  return newest === signed ? null : { block: newest, anchor: 'trusted' }
}

type Support = { readonly block: TreeBlock; count: number }

function supportOf(votes: readonly HeadVote[], tree: BlockTree): Iterable<Support> {
  const support = new Map<string, Support>()
  for (const { hash } of votes) {
    for (const block of tree.branch(hash)) {
      const key = toLatin1(block.hash)
      const entry = support.get(key)
      if (entry === undefined) support.set(key, { block, count: 1 })
      else entry.count += 1
    }
  }
  return support.values()
}

function highest(
  support: Iterable<Support>,
  needed: number,
  current: Uint8Array | null,
): Support | null {
  let best: Support | null = null
  for (const one of support) {
    if (one.count < needed) continue
    if (best === null || isBetter(one, best, current)) best = one
  }
  return best
}

function isBetter(one: Support, other: Support, current: Uint8Array | null): boolean {
  if (one.block.number !== other.block.number) return one.block.number > other.block.number
  if (one.count !== other.count) return one.count > other.count
  return current !== null && equalBytes(one.block.hash, current)
}
