// Headers near the head by their parent links, of every branch that some upstream is on. Each was proved by its
// hash before it came here, so a link in this tree is a fact, whoever told of it.
// Tested by src/ethereum/upstream/head-follower.test.ts
import { toLatin1 } from '../../base/hex.ts'

export type TreeBlock = {
  readonly hash: Uint8Array
  readonly number: bigint
  readonly parentHash: Uint8Array
}

export interface BlockTree {
  find(hash: Uint8Array): TreeBlock | null
  add(block: TreeBlock): void
  /** The block and its known ancestors, newest first; nothing when it is unknown. */
  branch(hash: Uint8Array): Iterable<TreeBlock>
  /** Forgets what is older than `number`. */
  prune(number: bigint): void
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
    prune(number) {
      for (const [key, block] of blocks) if (block.number < number) blocks.delete(key)
    },
  }
}
