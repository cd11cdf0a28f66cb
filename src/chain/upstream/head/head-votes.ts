// The last head vote of each upstream, until it expires.
// Tested by src/chain/upstream/head/head-follower.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { HeadVote } from './choose-head.ts'
import type { BlockName, HeadSource } from './head-source.ts'

/** A vote counts for this number of polls, and at least for this time. */
const votePolls = 5
const voteMsMin = 10_000

export type HeadVotes = {
  /** The block is in the tree. */
  note(source: HeadSource, latest: BlockName): void
  forget(source: HeadSource): void
  /** Votes that count now: recent, from an upstream in use. */
  current(): readonly (HeadVote & { readonly source: HeadSource })[]
  /** Hashes of all votes, expired or not. */
  hashes(): readonly Uint8Array[]
}

export function createHeadVotes(parts: {
  readonly sources: readonly HeadSource[]
  readonly pollMs: number
  /** Maximum age of a vote. */
  readonly maxAgeMs: number
  readonly clock: Clock
}): HeadVotes {
  const { sources, pollMs, maxAgeMs, clock } = parts
  const countsMs = Math.min(maxAgeMs, Math.max(voteMsMin, votePolls * pollMs))
  const votes = new Map<HeadSource, { readonly hash: Uint8Array; readonly receivedAt: number }>()
  return {
    note: (source, { hash }) => void votes.set(source, { hash, receivedAt: clock.monotonic() }),
    forget: (source) => void votes.delete(source),
    current() {
      const oldest = clock.monotonic() - countsMs
      return sources.flatMap((source) => {
        const vote = votes.get(source)
        if (vote === undefined || !source.usable || vote.receivedAt < oldest) return []
        const anchor = source.anchorOf?.(vote.hash) ?? null
        return [{ hash: vote.hash, trusted: source.trusted, anchor, source }]
      })
    },
    hashes: () => [...votes.values()].map(({ hash }) => hash),
  }
}
