// `safe` and `finalized` as upstreams report them: the block of a trusted upstream, otherwise one that a quorum
// reports, always on the branch of the served head. A lower number counts only after a reorg: without one the node
// lags.
// Tested by src/chain/upstream/head/finality.test.ts
import { equalBytes } from '../../../base/hex.ts'
import type { Anchor, BlockRef } from '../../head.ts'
import { fetchBlockName, type BlockName, type HeadSource } from './head-source.ts'

export type FinalityTag = 'safe' | 'finalized'

export type Finality = {
  /** Requests both tags from one upstream. Never rejects: without a known block it has no vote on that tag. */
  fetchTags(source: HeadSource, signal: AbortSignal): Promise<void>
  /**
   * The head moved to another branch: tags may fall to lower numbers until all upstreams have voted again. `isJoined`:
   * false if the branches are not known to meet; then all votes for the old branch are dropped.
   */
  reorganise(isJoined: boolean): void
  /**
   * Drops tags that are not on the branch of `latest`, and counts the votes of `speaking` for blocks on it.
   * `canonical`: the block of a number on that branch, null if it is not known.
   */
  settle(
    latest: BlockRef,
    speaking: ReadonlySet<HeadSource>,
    canonical: (number: bigint) => BlockName | null,
  ): void
  /** Null if no upstream, or too few, reported it. */
  find(tag: FinalityTag): BlockRef | null
}

/** Every tag. */
export const finalityTags = ['safe', 'finalized'] as const

/** `reorgs`: the number of reorgs at the time of the request. */
type TagVote = { readonly block: BlockName; readonly reorgs: number }
type Settled = { readonly block: BlockRef; readonly reorgs: number }
type Agreed = { readonly block: BlockName; readonly anchor: Anchor; readonly reorgs: number }

export function createFinality(parts: {
  readonly network: string
  /**
   * Votes for the same block that are required if no upstream is trusted; number of all upstreams, reachable or not.
   */
  readonly quorum: number
  readonly upstreams: number
  /** The number in a block's header, proved by its hash. Throws if no upstream has it. */
  readonly numberOf: (hash: Uint8Array, signal: AbortSignal) => Promise<bigint>
  /** A finalized block is no longer, or not known to be, on the branch of the head. */
  readonly onRollback: () => void
}): Finality {
  const { network, quorum, upstreams } = parts
  const votesByTag = {
    safe: new Map<HeadSource, TagVote>(),
    finalized: new Map<HeadSource, TagVote>(),
  }
  const settled: Record<FinalityTag, Settled | null> = { safe: null, finalized: null }
  let reorgs = 0

  async function fetchTag(
    source: HeadSource,
    tag: FinalityTag,
    signal: AbortSignal,
  ): Promise<void> {
    const reorgsBefore = reorgs
    try {
      const block = await fetchBlockName(source, tag, signal)
      if (block === null) {
        votesByTag[tag].delete(source)
        return
      }
      const { hash } = block
      const number = await parts.numberOf(hash, signal)
      votesByTag[tag].set(source, { block: { hash, number }, reorgs: reorgsBefore })
    } catch {
      votesByTag[tag].delete(source)
    }
  }

  /** The highest block with enough votes, or null. */
  function agreed(
    tag: FinalityTag,
    speaking: ReadonlySet<HeadSource>,
    fits: (block: BlockName) => boolean,
  ): Agreed | null {
    const usable = [...votesByTag[tag]].filter(([source]) => speaking.has(source))
    const trusted = usable.filter(([source]) => source.trusted)
    const signed = usable.filter(([source]) => source.anchorOf !== undefined)
    const best = signed.length > 0 ? signed : trusted
    const counted = (best.length > 0 ? best : usable).map(([, one]) => one)
    const needed = best.length > 0 ? 1 : quorum
    const votes = ({ hash }: BlockName) =>
      counted.filter(({ block }) => equalBytes(block.hash, hash)).length
    const block = counted
      .map((one) => one.block)
      .filter((one) => votes(one) >= needed && fits(one))
      .reduce<BlockName | null>(
        (best, one) => (best === null || one.number > best.number ? one : best),
        null,
      )
    if (block === null) return null
    const oldest = counted.reduce((least, one) => Math.min(least, one.reorgs), reorgs)
    const [first] = signed
    const signers = first?.[0].anchorOf?.(block.hash) ?? null
    if (signers !== null) return { block, anchor: signers, reorgs: oldest }
    if (trusted.length > 0) return { block, anchor: 'trusted', reorgs: oldest }
    const anchor = needed === 1 ? 'single' : (`quorum:${votes(block)}/${upstreams}` as const)
    return { block, anchor, reorgs: oldest }
  }

  return {
    async fetchTags(source, signal) {
      await Promise.all(finalityTags.map((tag) => fetchTag(source, tag, signal)))
    },
    reorganise(isJoined) {
      reorgs += 1
      if (isJoined) return
      const isRollback = settled.finalized !== null
      for (const tag of finalityTags) {
        votesByTag[tag].clear()
        settled[tag] = null
      }
      if (isRollback) parts.onRollback()
    },
    settle(latest, speaking, canonical) {
      const fits = ({ number, hash }: BlockName): boolean => {
        const onBranch = canonical(number)
        return number <= latest.number && (onBranch === null || equalBytes(onBranch.hash, hash))
      }
      const before = settled.finalized
      for (const tag of finalityTags) {
        const now = settled[tag]
        const current = now !== null && fits(now.block) ? now : null
        const found = agreed(tag, speaking, fits)
        const isLower = found !== null && found.block.number < (current?.block.number ?? 0n)
        // A vote from before the light client's first block was not signed, so a lower signed block replaces it.
        const isFirstSigned = isSigned(found?.anchor) && !isSigned(current?.block.anchor)
        const isReplaced =
          found !== null && (isFirstSigned || !(isLower && current?.reorgs === reorgs))
        settled[tag] = isReplaced
          ? { block: { network, ...found.block, anchor: found.anchor }, reorgs: found.reorgs }
          : current
      }
      if (before !== null && !fits(before.block)) parts.onRollback()
    },
    find: (tag) => settled[tag]?.block ?? null,
  }
}

function isSigned(anchor: Anchor | undefined): boolean {
  return anchor?.startsWith('consensus') === true
}
