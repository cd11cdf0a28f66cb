// Adds the branches of heads to the tree, header by proved header, down to where they meet the canonical chain. Without
// a canonical chain, it goes down to the lowest reported head and on to the common ancestor, so that upstreams that are
// ahead or on another branch are counted for the blocks below.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { equalBytes } from '../../../base/hex.ts'
import type { Header } from '../../../codec/ethereum/header.ts'
import type { BlockTree, TreeBlock } from './block-tree.ts'

/** Maximum steps down to the common ancestor of two branches; beyond it the chain starts again. */
export const gapMax = 256
/** Steps down from each head while there is no canonical chain. */
const firstGapMax = 64

export type FetchBranch = {
  /** Adds a single block to the tree. Throws if no upstream has its header. */
  plant(hash: Uint8Array, signal: AbortSignal): Promise<TreeBlock>
  /**
   * The block of a new head, its branch joined to that of `latest` in at most `stepsMax` steps. Throws if no upstream
   * supplies its own headers.
   */
  join(
    hash: Uint8Array,
    latest: Uint8Array,
    stepsMax: number,
    signal: AbortSignal,
  ): Promise<TreeBlock>
  /** Follows the branch of `hash` to the block at `floor`, at most `gapMax` steps, or to the first missing header. */
  descend(hash: Uint8Array, floor: bigint, signal: AbortSignal): Promise<void>
  /** Makes the branches of added heads overlap, as far as headers are available. Throws only `signal.reason`. */
  overlap(heads: readonly Uint8Array[], signal: AbortSignal): Promise<void>
}

/** `header`: by hash, proved. Throws if no upstream has it. */
export function createFetchBranch(
  tree: BlockTree,
  header: (hash: Uint8Array, signal: AbortSignal) => Promise<Header>,
): FetchBranch {
  async function plant(hash: Uint8Array, signal: AbortSignal): Promise<TreeBlock> {
    const found = tree.find(hash)
    if (found !== null) return found
    const { number, parentHash } = await header(hash, signal)
    const block = { hash, number, parentHash }
    tree.add(block)
    return block
  }

  /** Null if no upstream has it: a canonical branch may come from a faulty upstream, and must not delay others. */
  async function plantIfHad(hash: Uint8Array, signal: AbortSignal): Promise<TreeBlock | null> {
    try {
      return await plant(hash, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof Error) return null
      throw thrown
    }
  }

  /** The block at `floor`, or the last block with an available header. */
  async function descend(
    hash: Uint8Array,
    floor: bigint,
    stepsMax: number,
    signal: AbortSignal,
  ): Promise<TreeBlock | null> {
    let block = await plantIfHad(hash, signal)
    for (let steps = 0; block !== null && block.number > floor && steps < stepsMax; steps += 1) {
      block = await plantIfHad(block.parentHash, signal)
    }
    return block
  }

  /** Follows the branches of blocks of one height down to their common ancestor. */
  async function meet(blocks: readonly TreeBlock[], signal: AbortSignal): Promise<void> {
    let all = blocks
    for (let steps = 0; steps < firstGapMax && !areSame(all); steps += 1) {
      const parents = await Promise.all(all.map(({ parentHash }) => plantIfHad(parentHash, signal)))
      all = parents.filter((block) => block !== null)
    }
  }

  return {
    plant,

    descend: async (hash, floor, signal) => void (await descend(hash, floor, gapMax, signal)),

    async join(hash, latest, stepsMax, signal) {
      const newest = await plant(hash, signal)
      let one = newest
      let other = tree.find(latest)
      for (let steps = 0; steps < stepsMax && other !== null; steps += 1) {
        if (equalBytes(one.hash, other.hash) || one.number === 0n) break
        const [oneNumber, otherNumber] = [one.number, other.number]
        if (oneNumber >= otherNumber) one = await plant(one.parentHash, signal)
        if (otherNumber >= oneNumber) other = await plantIfHad(other.parentHash, signal)
      }
      return newest
    },

    async overlap(heads, signal) {
      const numbers = heads.flatMap((hash) => tree.find(hash)?.number ?? [])
      const [first = 0n, ...others] = numbers
      const floor = others.reduce((least, number) => (number < least ? number : least), first)
      const lowest = await Promise.all(
        heads.map((hash) => descend(hash, floor, firstGapMax, signal)),
      )
      await meet(
        lowest.filter((block) => block !== null && block.number === floor) as readonly TreeBlock[],
        signal,
      )
    },
  }
}

function areSame([first, ...others]: readonly TreeBlock[]): boolean {
  return others.every(({ hash }) => first !== undefined && equalBytes(hash, first.hash))
}
