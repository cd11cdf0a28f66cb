// The state after one block, as a call reads it: all values are proved against the block's state root.
// Tested by src/proved-calls/call-state.test.ts
import { Fault } from '../base/fault.ts'
import { toLatin1 } from '../base/hex.ts'
import type { AccessListEntry } from '../chain/computation.ts'
import type { AccountState } from '../codec/ethereum/account-state.ts'

/** Not a promise if the value is in memory, because a call reads many values. */
type MaybePromise<T> = T | Promise<T>

/** `address`: 20 bytes. Each method throws or rejects with the fault of the read. */
export type ProvedState = {
  /** Null: the account is proved absent. */
  account(address: Uint8Array): MaybePromise<AccountState | null>
  /** 32 bytes. `storageRoot`: of the account; `position`: 32 bytes. */
  slot(address: Uint8Array, storageRoot: Uint8Array, position: Uint8Array): MaybePromise<Uint8Array>
  code(address: Uint8Array, codeHash: Uint8Array): MaybePromise<Uint8Array>
  /** Hash of the canonical block with this number, below the block of this state. */
  hashOf(number: bigint): MaybePromise<Uint8Array>
  /** The trie nodes on the paths to these accounts and slots, whether they exist or not. */
  nodes(paths: readonly AccessListEntry[]): Promise<readonly Uint8Array[]>
}

export type ReadLimits = {
  readonly accounts: number
  readonly slots: number
  readonly headers: number
  readonly codeBytes: number
}

export const defaultReadLimits: ReadLimits = {
  accounts: 512,
  slots: 4_096,
  headers: 256,
  codeBytes: 16 * 1024 * 1024,
}

/** Slot positions by address, both in `toLatin1`. */
export type Reads = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Counts the values that one call reads, each once. Throws `unprovable` over a limit. `reads`: accounts and slots so far.
 */
export function limitReads(
  state: ProvedState,
  limits: ReadLimits,
): ProvedState & { readonly reads: Reads } {
  const reads = new Map<string, Set<string>>()
  let slots = 0
  const codes = new Set<string>()
  const headers = new Set<bigint>()
  let codeBytes = 0

  function slotsOf(address: Uint8Array): Set<string> {
    const name = toLatin1(address)
    const accountSlots = reads.get(name)
    if (accountSlots !== undefined) return accountSlots
    const newSlots = new Set<string>()
    reads.set(name, newSlots)
    if (reads.size > limits.accounts) throw tooManyReads(`${limits.accounts} accounts`)
    return newSlots
  }

  function addSlot(accountSlots: Set<string>, position: Uint8Array): void {
    const sizeBefore = accountSlots.size
    slots += accountSlots.add(toLatin1(position)).size - sizeBefore
    if (slots > limits.slots) throw tooManyReads(`${limits.slots} slots`)
  }

  function addCode(name: string, code: Uint8Array): Uint8Array {
    if (codes.has(name)) return code
    codes.add(name)
    codeBytes += code.length
    if (codeBytes > limits.codeBytes) throw tooManyReads(`${limits.codeBytes} bytes of code`)
    return code
  }

  return {
    reads,
    account(address) {
      slotsOf(address)
      return state.account(address)
    },
    slot(address, storageRoot, position) {
      addSlot(slotsOf(address), position)
      return state.slot(address, storageRoot, position)
    },
    code(address, codeHash) {
      const name = toLatin1(codeHash)
      const code = state.code(address, codeHash)
      return code instanceof Promise
        ? code.then((bytes) => addCode(name, bytes))
        : addCode(name, code)
    },
    hashOf(number) {
      headers.add(number)
      if (headers.size > limits.headers) throw tooManyReads(`${limits.headers} headers`)
      return state.hashOf(number)
    },
    async nodes(paths) {
      for (const { address, storageKeys } of paths) {
        const accountSlots = slotsOf(address)
        for (const position of storageKeys) addSlot(accountSlots, position)
      }
      return await state.nodes(paths)
    },
  }
}

function tooManyReads(limit: string): Fault {
  return new Fault('unprovable', { detail: `the call reads more than ${limit}` })
}
