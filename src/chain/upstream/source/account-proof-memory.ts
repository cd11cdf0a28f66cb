// Accounts for which a reply listed exactly the nodes of the walk. Consecutive proofs are mostly of few accounts, so
// their lists are compared as text: the same nodes under the same root and address need no second check.
// Tested by src/chain/upstream/source/check-proof.test.ts
import { joinLatin1 } from '../../../base/hex.ts'
import { createLruCache } from '../../../base/lru-cache.ts'
import type { AccountState } from '../../../codec/ethereum/account-state.ts'

type JudgedAccount = {
  /** The nodes as received, from the state root down. */
  readonly texts: readonly string[]
  /** Null: proved absent. */
  readonly account: AccountState | null
}

/** `stateRoot`: 32 bytes; `address`: 20. Null: not remembered. */
export type AccountProofMemory = {
  find(stateRoot: Uint8Array, address: Uint8Array): JudgedAccount | null
  add(stateRoot: Uint8Array, address: Uint8Array, judged: JudgedAccount): void
}

/** About a hundred accounts with the ten nodes that each has on mainnet. */
const textsMax = 2 * 1024 * 1024

export function createAccountProofMemory(): AccountProofMemory {
  const judged = createLruCache<JudgedAccount>({
    sizeMax: textsMax,
    sizeOf: (_key, { texts }) => texts.reduce((total, text) => total + text.length, 0),
  })
  return {
    find: (stateRoot, address) => judged.find(joinLatin1(stateRoot, address)),
    add: (stateRoot, address, one) => judged.add(joinLatin1(stateRoot, address), one),
  }
}
