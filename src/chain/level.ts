// Verification levels of an answer for a given block, strongest first.
// Tested by src/server/create-pipeline.test.ts

/**
 * - `proof`: every byte was checked by hash in this process, from the block hash to the value.
 * - `block`: the header is proved; the rest is one upstream's claim about that block.
 * - `quorum:k/n`: k of n upstreams returned the same answer for the pinned block.
 * - `trusted`: from an upstream marked trusted, or computed by the embedded chain.
 * - `none`: from one untrusted upstream.
 */
export type Level = 'proof' | 'block' | `quorum:${number}/${number}` | 'trusted' | 'none'

export function isWeaker(level: Level, than: Level): boolean {
  return strengthOf(level) < strengthOf(than)
}

function strengthOf(level: Level): number {
  switch (level) {
    case 'none':
      return 0
    case 'trusted':
      return 1
    case 'block':
      return 3
    case 'proof':
      return 4
    default:
      return 2
  }
}
