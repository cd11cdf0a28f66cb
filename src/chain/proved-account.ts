// A memory of accounts that walks have proved: consecutive reads are mostly of few contracts, and would walk to the
// same account again.
// Tested by src/chain/state.test.ts
import { joinLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'

export interface AccountMemory {
  /** `stateRoot`: 32 bytes; `address`: 20 bytes. Null: not remembered. */
  find(stateRoot: Uint8Array, address: Uint8Array): AccountState | null
  /** `account`: the account that a walk from `stateRoot` has proved, including `absentAccount`. */
  add(stateRoot: Uint8Array, address: Uint8Array, account: AccountState): void
}

/** Of at most `accountsMax` accounts, about 1 KB each with the node that contains it; at least 64. */
export function createAccountMemory(accountsMax: number): AccountMemory {
  const accounts = createLruCache<AccountState>({ sizeMax: accountsMax, sizeOf: () => 1 })
  return {
    find: (stateRoot, address) => accounts.find(joinLatin1(stateRoot, address)),
    add: (stateRoot, address, account) => accounts.add(joinLatin1(stateRoot, address), account),
  }
}
