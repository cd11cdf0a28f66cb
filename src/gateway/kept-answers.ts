// Proved answers as JSON text, kept by block hash and input: true for ever, so nothing here is ever
// invalidated, and a hot read is one look-up. Filled only with what this process proved.
import { toLatin1 } from '../base/hex.ts'
import { createRecent } from '../base/recent.ts'

type KeptAnswer = {
  /** JSON text of the result. */
  readonly text: string
  readonly blockNumber: bigint
}

export interface KeptAnswers {
  /** `rest`: the operation's own words for its input without the block. */
  find(where: AnswerPlace, rest: string): KeptAnswer | null
  add(where: AnswerPlace, rest: string, answer: KeptAnswer): void
}

type AnswerPlace = {
  readonly network: string
  readonly method: string
  readonly blockHash: Uint8Array
}

/** Blocks times methods that are known by name; some 100 bytes each. */
const placesMax = 16_384

/** What an entry costs beside its texts: two strings, an object, a map slot. */
const entryBytes = 250

/** At most `bytesMax` of keys and texts. 0: keeps nothing. */
export function createKeptAnswers({ bytesMax }: { readonly bytesMax: number }): KeptAnswers {
  const recent = createRecent<KeptAnswer>({ sizeMax: bytesMax })
  // A short name for each place: a look-up costs by the length of its key. Names are never given twice, so answers
  // of a place that was forgotten are not found again, and age.
  const names = new Map<string, string>()
  let given = 0
  // Most calls in a row are about one block, the head.
  let last: AnswerPlace = { network: '', method: '', blockHash: new Uint8Array() }
  let lastName = ''

  function nameOf(where: AnswerPlace): string {
    const { network, method, blockHash } = where
    if (blockHash === last.blockHash && method === last.method && network === last.network) {
      return lastName
    }
    // Names of networks and methods hold no line feed and the hash has one length, so no two places spell alike.
    const place = `${network}\n${method}\n${toLatin1(blockHash)}`
    let name = names.get(place)
    if (name === undefined) {
      if (names.size >= placesMax) names.clear()
      given += 1
      name = `${given.toString(36)}\n`
      names.set(place, name)
    }
    last = where
    lastName = name
    return name
  }

  return {
    find: (where, rest) => recent.find(nameOf(where) + rest),
    add(where, rest, answer) {
      const key = nameOf(where) + rest
      recent.add(key, answer, key.length + answer.text.length + entryBytes)
    },
  }
}
