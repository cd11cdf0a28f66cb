// The canonical chain near the head, by number: what a new head adds to it and takes away.
// Tested by src/ethereum/upstream/head/head-follower.test.ts
import { toLatin1 } from '../../../base/hex.ts'
import type { Anchor, BlockRef, HeadChange } from '../../head.ts'
import type { BlockTree, TreeBlock } from './block-tree.ts'

export interface CanonicalBlocks {
  readonly latest: BlockRef | null
  find(number: bigint): BlockRef | null
  /** Makes `block` the head. Who vouches for it vouches for all it stands on. */
  moveTo(block: TreeBlock, anchor: Anchor): HeadChange
}

/** `blocksMax`: how many are remembered below the head. */
export function createCanonicalBlocks(
  network: string,
  tree: BlockTree,
  blocksMax: number,
): CanonicalBlocks {
  const byNumber = new Map<bigint, BlockRef>()
  let latest: BlockRef | null = null

  function moveTo(block: TreeBlock, anchor: Anchor): HeadChange {
    const before = latest === null ? [] : [...tree.branch(latest.hash)].slice(0, blocksMax)
    const stood = new Set(before.map(({ hash }) => toLatin1(hash)))
    const refTo = ({ hash, number }: TreeBlock): BlockRef => ({ network, hash, number, anchor })
    const branch = [...tree.branch(block.hash)].slice(0, blocksMax)
    const base = branch.find(({ hash }) => stood.has(toLatin1(hash))) ?? null
    // Without a common block nobody can say what lay between: only the head is new.
    const added = base === null ? [block] : branch.filter(({ number }) => number > base.number)
    const removed = base === null ? before : before.filter(({ number }) => number > base.number)
    for (const { number } of removed) byNumber.delete(number)
    if (base === null) byNumber.clear()
    for (const one of branch) byNumber.set(one.number, refTo(one))
    latest = refTo(block)
    for (const number of byNumber.keys()) {
      if (number <= block.number - BigInt(blocksMax) || number > block.number)
        byNumber.delete(number)
    }
    return { removed: removed.map(refTo), added: added.map(refTo).toReversed() }
  }

  return {
    get latest() {
      return latest
    },
    find: (number) => byNumber.get(number) ?? null,
    moveTo,
  }
}
