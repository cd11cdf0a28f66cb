// Cache of proved values, keyed by the hash that proves them: accounts by state root, slots by storage root, code by code hash.
// So a slot stays valid across blocks that do not change its contract.
// Tested by test/calls/proved-calls.test.ts
import { joinLatin1, toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'
import type { ProvedValue } from './proved-task.ts'

/** Values that can be cached for later calls. */
type CachedValue = Exclude<ProvedValue, { readonly kind: 'hash' | 'nodes' }>

export type ValueCache = {
  /** Undefined: not cached. Null: proved absent. */
  account(stateRoot: Uint8Array, address: Uint8Array): AccountState | null | undefined
  slot(storageRoot: Uint8Array, position: Uint8Array): Uint8Array | undefined
  code(codeHash: Uint8Array): Uint8Array | undefined
  add(found: CachedValue): void
}

const accountsMax = 50_000
const slotsMax = 500_000
const codeBytesMax = 64 * 1024 * 1024

export function createValueCache(): ValueCache {
  const accounts = createLruCache<{ readonly account: AccountState | null }>({
    sizeMax: accountsMax,
    sizeOf: () => 1,
  })
  const slots = createLruCache<Uint8Array>({ sizeMax: slotsMax, sizeOf: () => 1 })
  const codes = createLruCache<Uint8Array>({
    sizeMax: codeBytesMax,
    sizeOf: (_, code) => code.length + 100,
  })
  return {
    account: (stateRoot, address) => accounts.find(joinLatin1(stateRoot, address))?.account,
    slot: (storageRoot, position) => slots.find(joinLatin1(storageRoot, position)) ?? undefined,
    code: (codeHash) => codes.find(toLatin1(codeHash)) ?? undefined,
    add(found) {
      switch (found.kind) {
        case 'account':
          return accounts.add(joinLatin1(found.stateRoot, found.address), found)
        case 'slot':
          return slots.add(joinLatin1(found.storageRoot, found.position), found.value)
        case 'code':
          return codes.add(toLatin1(found.codeHash), found.code)
      }
    },
  }
}
