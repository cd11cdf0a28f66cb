// Proved answers as JSON text, kept by block hash and input: true for ever, so nothing here is ever
// invalidated, and a hot read is one look-up. Filled only with what this process proved.
// Tested by src/gateway/handle.test.ts
import { toLatin1 } from '../base/hex.ts'
import { createRecent } from '../base/recent.ts'
import type { BlockRef } from '../ethereum/network.ts'

export type KeptAnswer = {
  /** JSON text of the result. */
  readonly text: string
  readonly blockNumber: bigint
}

export interface KeptAnswers {
  find(key: string): KeptAnswer | null
  add(key: string, answer: KeptAnswer): void
}

/** What an entry costs beside its texts: two strings, an object, a map slot. */
const entryBytes = 250

/** At most `bytesMax` of keys and texts. 0: keeps nothing. */
export function createKeptAnswers({ bytesMax }: { readonly bytesMax: number }): KeptAnswers {
  const recent = createRecent<KeptAnswer>({ sizeMax: bytesMax })
  return {
    find: (key) => recent.find(key),
    add: (key, answer) => recent.add(key, answer, key.length + answer.text.length + entryBytes),
  }
}

/** `rest`: the operation's own words for its input without the block. */
export function answerKey(
  network: string,
  method: string,
  blockHash: BlockRef['hash'],
  rest: string,
): string {
  return `${network}\n${method}\n${toLatin1(blockHash)}${rest}`
}
