// Proved answers as JSON text, kept by block hash and input: true for ever, so nothing here is ever
// invalidated, and a hot read is one look-up. Filled only with what this process proved.
import { toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'

type CachedAnswer = {
  /** JSON text of the result. */
  readonly text: string
  /** Its length in UTF-8. */
  readonly bytes: number
  readonly blockNumber: bigint
}

export interface AnswerCache {
  /** `rest`: the operation's own words for its input without the block. */
  find(where: AnswerPlace, rest: string): CachedAnswer | null
  add(where: AnswerPlace, rest: string, answer: CachedAnswer): void
}

type AnswerPlace = {
  readonly network: string
  readonly method: string
  readonly blockHash: Uint8Array
}

/** What an entry costs beside its texts: two strings, an object, a map slot. */
const entryBytes = 250

/** At most `bytesMax` of keys and texts. 0: keeps nothing. */
export function createAnswerCache({ bytesMax }: { readonly bytesMax: number }): AnswerCache {
  const recent = createLruCache<CachedAnswer>({
    sizeMax: bytesMax,
    sizeOf: (key, { text }) => key.length + text.length + entryBytes,
  })
  // Most calls in a row are about one block, the head.
  let lastHash: Uint8Array | null = null
  let lastText = ''

  function keyOf({ network, method, blockHash }: AnswerPlace, rest: string): string {
    if (blockHash !== lastHash) {
      lastHash = blockHash
      lastText = toLatin1(blockHash)
    }
    // Names hold no line feed and the hash has one length, so no two places spell alike.
    return `${network}\n${method}\n${lastText}${rest}`
  }

  return {
    find: (where, rest) => recent.find(keyOf(where, rest)),
    add: (where, rest, answer) => recent.add(keyOf(where, rest), answer),
  }
}
