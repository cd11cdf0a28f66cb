// Caches of proved accounts and headers. Consecutive reads mostly concern few contracts at few blocks, and decoding a header
// costs more than the rest of a short walk.
// Tested by src/chain/state.test.ts
import { joinLatin1, toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'
import type { Header } from '../codec/ethereum/header.ts'

export interface AccountMemory {
  /** `stateRoot`: 32 bytes; `address`: 20 bytes. Null: not cached. */
  find(stateRoot: Uint8Array, address: Uint8Array): AccountState | null
  /** `account`: proved by a walk from `stateRoot`; may be `absentAccount`. */
  add(stateRoot: Uint8Array, address: Uint8Array, account: AccountState): void
}

/** Capacity: `accountsMax` accounts (at least 64), about 1 KB each with the node that contains it. */
export function createAccountMemory(accountsMax: number): AccountMemory {
  const accounts = createLruCache<AccountState>({ sizeMax: accountsMax, sizeOf: () => 1 })
  return {
    find: (stateRoot, address) => accounts.find(joinLatin1(stateRoot, address)),
    add: (stateRoot, address, account) => accounts.add(joinLatin1(stateRoot, address), account),
  }
}

/** `hash`: 32 bytes; `bytes`: its RLP. */
export type ProvedHeader = {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  readonly header: Header
}

export interface HeaderMemory {
  find(hash: Uint8Array): ProvedHeader | null
  add(block: ProvedHeader): void
}

/** Capacity: `blocksMax` headers, about 2 KB each; the oldest entry is evicted first. */
export function createHeaderMemory(blocksMax: number): HeaderMemory {
  const blocks = new Map<string, ProvedHeader>()
  return {
    find: (hash) => blocks.get(toLatin1(hash)) ?? null,
    add(block) {
      const [oldest] = blocks.size >= blocksMax ? blocks.keys() : []
      if (oldest !== undefined) blocks.delete(oldest)
      blocks.set(toLatin1(block.hash), block)
    },
  }
}
