// Blocks that somebody counts on although no row says so yet, and blocks that are about to be forgotten: so that
// a sweep needs no lock. What is put anew while it is condemned is a block of its own, whose row comes after.
// Tested by src/content/segments/segment-files.test.ts
import { toLatin1 } from '../../base/hex.ts'

export type BlockHolds = {
  /** Counts on a block: one that is here, in the turn in which it was seen, or one that is on its way to be. */
  hold(hash: Uint8Array): void
  release(hash: Uint8Array): void
  /** It was put by somebody who did not hold it. */
  touch(hash: Uint8Array): void
  /**
   * Blocks that are to be condemned when their turn comes. The call it returns ends this, and gives those of them that
   * nobody held when it began, and nobody held or touched since.
   */
  propose(hashes: readonly Uint8Array[]): () => readonly Uint8Array[]
  /** Whether it counts as gone, although its row may still be there. */
  isCondemned(hash: Uint8Array): boolean
  condemn(hashes: readonly Uint8Array[]): void
  pardon(hashes: readonly Uint8Array[]): void
}

export function createBlockHolds(): BlockHolds {
  const held = new Map<string, number>()
  const condemned = new Set<string>()
  const proposals = new Set<Map<string, Uint8Array>>()

  function touch(key: string): void {
    for (const proposed of proposals) proposed.delete(key)
  }

  return {
    hold(hash) {
      const key = toLatin1(hash)
      held.set(key, (held.get(key) ?? 0) + 1)
      touch(key)
    },
    release(hash) {
      const key = toLatin1(hash)
      const left = (held.get(key) ?? 0) - 1
      if (left > 0) held.set(key, left)
      else held.delete(key)
    },
    touch(hash) {
      if (proposals.size > 0) touch(toLatin1(hash))
    },
    propose(hashes) {
      const proposed = new Map<string, Uint8Array>()
      for (const hash of hashes) {
        const key = toLatin1(hash)
        if (!held.has(key)) proposed.set(key, hash)
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
