// Blocks that somebody counts on although no row says so yet, and blocks that are about to be forgotten: so that
// a sweep needs no lock. A block is never both.
// Tested by src/content/segments/segment-files.test.ts
import { toLatin1 } from '../../base/hex.ts'

export type Holds = {
  /** Counts on a block that is here. To be called in the turn in which it was seen. */
  hold(hash: Uint8Array): void
  release(hash: Uint8Array): void
  isHeld(hash: Uint8Array): boolean
  /** Whether it counts as gone, although its row may still be there. */
  isCondemned(hash: Uint8Array): boolean
  condemn(hashes: readonly Uint8Array[]): void
  pardon(hashes: readonly Uint8Array[]): void
}

export function createHolds(): Holds {
  const held = new Map<string, number>()
  const condemned = new Set<string>()
  return {
    hold(hash) {
      const key = toLatin1(hash)
      held.set(key, (held.get(key) ?? 0) + 1)
    },
    release(hash) {
      const key = toLatin1(hash)
      const left = (held.get(key) ?? 0) - 1
      if (left > 0) held.set(key, left)
      else held.delete(key)
    },
    isHeld: (hash) => held.size > 0 && held.has(toLatin1(hash)),
    isCondemned: (hash) => condemned.size > 0 && condemned.has(toLatin1(hash)),
    condemn(hashes) {
      for (const hash of hashes) condemned.add(toLatin1(hash))
    },
    pardon(hashes) {
      for (const hash of hashes) condemned.delete(toLatin1(hash))
    },
  }
}
