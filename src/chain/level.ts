// How sure an answer is, given its block (verification 2.4), from weakest to strongest.
// Tested by src/server/create-pipeline.test.ts

/**
 * - `proof`: every byte was walked from the block hash through hashes checked in this process.
 * - `block`: the header is proved, the rest is one upstream's word about that very block.
 * - `quorum:k/n`: k of n upstreams said the same of the pinned block.
 * - `trusted`: an upstream marked trusted said it, or the embedded chain worked it out.
 * - `none`: one untrusted upstream's word.
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
