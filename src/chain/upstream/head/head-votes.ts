// What each upstream said its head is, for as long as that counts.
// Tested by src/chain/upstream/head/head-follower.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { HeadVote } from './choose-head.ts'
import type { BlockName, HeadSource } from './head-source.ts'

/** A word counts for so many polls, and for at least so long. */
const wordPolls = 5
const wordMs = 10_000

export type HeadVotes = {
  /** The block is in the tree. */
  note(source: HeadSource, latest: BlockName): void
  forget(source: HeadSource): void
  /** Those that count now: said lately, by an upstream that is in use. */
  current(): readonly (HeadVote & { readonly source: HeadSource })[]
  /** Of all, whether they count or not. */
  hashes(): readonly Uint8Array[]
}

export function createHeadVotes(parts: {
  readonly sources: readonly HeadSource[]
  readonly pollMs: number
  /** No word counts for longer. */
  readonly maxAgeMs: number
  readonly clock: Clock
}): HeadVotes {
  const { sources, pollMs, maxAgeMs, clock } = parts
  const countsMs = Math.min(maxAgeMs, Math.max(wordMs, wordPolls * pollMs))
  const words = new Map<HeadSource, { readonly hash: Uint8Array; readonly saidAt: number }>()
  return {
    note: (source, { hash }) => void words.set(source, { hash, saidAt: clock.monotonic() }),
    forget: (source) => void words.delete(source),
    current() {
      const oldest = clock.monotonic() - countsMs
      return sources.flatMap((source) => {
        const word = words.get(source)
        if (word === undefined || !source.usable || word.saidAt < oldest) return []
        return [{ hash: word.hash, trusted: source.trusted, source }]
      })
    },
    hashes: () => [...words.values()].map(({ hash }) => hash),
  }
}
