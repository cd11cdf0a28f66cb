// Blocks that open batches use and that have no row yet, and blocks marked for deletion, so that a sweep needs no lock. A block
// that is put again while it is marked counts as new; its row is written after the deletion.
// Tested by src/content/segments/segment-files.test.ts
import { toLatin1 } from '../../base/hex.ts'

export type BlockHolds = {
  /** Holds a block: an existing one, synchronously with its lookup, or one that is being written. */
  hold(hash: Uint8Array): void
  release(hash: Uint8Array): void
  /** Call when a caller that did not hold the block has put it. */
  touch(hash: Uint8Array): void
  /**
   * Marks blocks for deletion. The returned function ends the mark and returns the blocks that were not held at the start, and not
   * held or touched since.
   */
  propose(hashes: readonly Uint8Array[]): () => readonly Uint8Array[]
  /** Whether it counts as deleted, although its row may still exist. */
  isCondemned(hash: Uint8Array): boolean
  condemn(hashes: readonly Uint8Array[]): void
  pardon(hashes: readonly Uint8Array[]): void
}

export function createBlockHolds(): BlockHolds {
  const holdCounts = new Map<string, number>()
  const condemned = new Set<string>()
  const proposals = new Set<Map<string, Uint8Array>>()

  function touch(key: string): void {
    for (const proposed of proposals) proposed.delete(key)
  }

  return {
    hold(hash) {
      const key = toLatin1(hash)
      holdCounts.set(key, (holdCounts.get(key) ?? 0) + 1)
      touch(key)
    },
    release(hash) {
      const key = toLatin1(hash)
      const left = (holdCounts.get(key) ?? 0) - 1
      if (left > 0) holdCounts.set(key, left)
      else holdCounts.delete(key)
    },
    touch(hash) {
      if (proposals.size > 0) touch(toLatin1(hash))
    },
    propose(hashes) {
      const proposed = new Map<string, Uint8Array>()
      for (const hash of hashes) {
        const key = toLatin1(hash)
        if (!holdCounts.has(key)) proposed.set(key, hash)
      }
      proposals.add(proposed)
      return () => {
        proposals.delete(proposed)
        return [...proposed.values()]
      }
    },
    isCondemned: (hash) => condemned.size > 0 && condemned.has(toLatin1(hash)),
    condemn(hashes) {
      for (const hash of hashes) condemned.add(toLatin1(hash))
    },
    pardon(hashes) {
      for (const hash of hashes) condemned.delete(toLatin1(hash))
    },
  }
}
