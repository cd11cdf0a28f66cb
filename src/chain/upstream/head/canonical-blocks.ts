// The canonical chain near the head, by number: the blocks that a new head adds and removes.
// Tested by src/chain/upstream/head/head-follower.test.ts
import { toLatin1 } from '../../../base/hex.ts'
import type { Anchor, BlockRef, HeadUpdate } from '../../head.ts'
import type { BlockTree, TreeBlock } from './block-tree.ts'

export interface CanonicalBlocks {
  readonly latest: BlockRef | null
  find(number: bigint): BlockRef | null
  /** Makes `block` the head. Its anchor also holds for its ancestors. */
  moveTo(block: TreeBlock, anchor: Anchor): HeadMove
  /** Adds older blocks of the head's branch that were added to the tree. */
  extend(): void
}

/** `isJoined`: false if the old head and the new one have no known common ancestor. */
type HeadMove = HeadUpdate & { readonly isJoined: boolean }

/** `blocksMax`: maximum of stored blocks below the head. */
export function createCanonicalBlocks(
  network: string,
  tree: BlockTree,
  blocksMax: number,
): CanonicalBlocks {
  const byNumber = new Map<bigint, BlockRef>()
  let latest: BlockRef | null = null

  const referBy =
    (anchor: Anchor) =>
    ({ hash, number }: TreeBlock): BlockRef => ({ network, hash, number, anchor })

  function extend(): void {
    if (latest?.anchor === undefined) return
    const refTo = referBy(latest.anchor)
    for (const block of [...tree.branch(latest.hash)].slice(0, blocksMax)) {
      if (!byNumber.has(block.number)) byNumber.set(block.number, refTo(block))
    }
  }

  function moveTo(block: TreeBlock, anchor: Anchor): HeadMove {
    const before = latest === null ? [] : [...tree.branch(latest.hash)].slice(0, blocksMax)
    const previous = new Set(before.map(({ hash }) => toLatin1(hash)))
    const refTo = referBy(anchor)
    const branch = [...tree.branch(block.hash)].slice(0, blocksMax)
    const base = branch.find(({ hash }) => previous.has(toLatin1(hash))) ?? null
    // Without a common ancestor the blocks in between are unknown: only the head is new.
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
    return {
      removed: removed.map(refTo),
      added: added.map(refTo).toReversed(),
      isJoined: base !== null,
    }
  }

  return {
    get latest() {
      return latest
    },
    find: (number) => byNumber.get(number) ?? null,
    moveTo,
    extend,
  }
}
