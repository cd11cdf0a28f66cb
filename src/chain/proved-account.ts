// A memory of accounts that walks have proved: most reads in a row are of few contracts, and each would walk to the
// same account anew.
// Tested by src/chain/state.test.ts
import { joinLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'

export interface AccountMemory {
  /** `stateRoot`: 32 bytes; `address`: 20 bytes. Null: not remembered. */
  find(stateRoot: Uint8Array, address: Uint8Array): AccountState | null
  /** `account`: what a walk from `stateRoot` has proved, `absentAccount` too. */
  add(stateRoot: Uint8Array, address: Uint8Array, account: AccountState): void
}

/** Of at most `accountsMax` accounts, about 1 KB each with the node that each came out of; at least 64. */
export function createAccountMemory(accountsMax: number): AccountMemory {
  const accounts = createLruCache<AccountState>({ sizeMax: accountsMax, sizeOf: () => 1 })
  return {
    find: (stateRoot, address) => accounts.find(joinLatin1(stateRoot, address)),
    add: (stateRoot, address, account) => accounts.add(joinLatin1(stateRoot, address), account),
  }
}
