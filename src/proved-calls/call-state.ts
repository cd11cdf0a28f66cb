// State manager of the EVM for one call: proved values, overlaid with the changes of the call. No trie is built, except for the
// roots of simulated blocks. A checkpoint is a position in the undo log.
// Tested by src/proved-calls/call-state.test.ts
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, createAccount } from '@ethereumjs/util'
import { equalBytes, toLatin1 } from '../base/hex.ts'
import { emptyCodeHash, emptyTrieRoot } from '../codec/ethereum/account-state.ts'
import { keccak256 } from '../codec/hash/keccak.ts'
import type { ProvedState } from './proved-state.ts'

/** Slots that the call wrote, by position. `isCleared`: all other slots are zero, whatever the proved storage has. */
type Storage = { readonly isCleared: boolean; readonly slots: Map<string, Uint8Array> }

/** Read-only view of a changed storage. Values have no leading zeros. */
export type ChangedStorage = {
  readonly isCleared: boolean
  readonly slots: ReadonlyMap<string, Uint8Array>
}

/** All changes so far, by address in `toLatin1`. Undefined account: removed. */
type StateChanges = {
  readonly accounts: ReadonlyMap<string, Account | undefined>
  readonly storages: ReadonlyMap<string, ChangedStorage>
}

/** Computes the root of the proved state with these changes. Rejects with the errors of reading proofs, and `unprovable`. */
export type RootOf = (changes: StateChanges) => Promise<Uint8Array>

const noCode = new Uint8Array(0)
const noBytes = new Uint8Array(0)

export class CallState implements StateManagerInterface {
  readonly #proved: ProvedState
  readonly #rootOf: RootOf | null
  /** Changed accounts; undefined: removed. Entries are immutable: readers get copies. */
  readonly #accounts = new Map<string, Account | undefined>()
  readonly #storages = new Map<string, Storage>()
  /** Code that the call or its overrides deployed, by hash. */
  readonly #codes = new Map<string, Uint8Array>()
  readonly #undo: (() => void)[] = []
  readonly #checkpoints: number[] = []
  readonly #originals = new Map<string, Uint8Array>()

  /** EIP-2200: the value of a slot before the transaction. The EVM reads it before each write. */
  readonly originalStorageCache = {
    get: async (address: Address, position: Uint8Array): Promise<Uint8Array> => {
      const name = toLatin1(address.bytes) + toLatin1(position)
      const cached = this.#originals.get(name)
      if (cached !== undefined) return cached
      const value = await this.getStorage(address, position)
      this.#originals.set(name, value)
      return value
    },
    clear: (): void => this.#originals.clear(),
  }

  /** `rootOf`: null if no root is needed. */
  constructor(proved: ProvedState, rootOf: RootOf | null = null) {
    this.#proved = proved
    this.#rootOf = rootOf
  }

  async getAccount({ bytes }: Address): Promise<Account | undefined> {
    const name = toLatin1(bytes)
    const changed = this.#accounts.get(name)
    if (changed !== undefined) return copyOf(changed)
    if (this.#accounts.has(name)) return undefined
    const account = this.#proved.account(bytes)
    const proved = account instanceof Promise ? await account : account
    return proved === null ? undefined : createAccount(proved)
  }

  // oxlint-disable-next-line typescript/require-await -- the library's interface
  async putAccount({ bytes }: Address, account?: Account): Promise<void> {
    this.#set(this.#accounts, toLatin1(bytes), account === undefined ? undefined : copyOf(account))
  }

  async deleteAccount(address: Address): Promise<void> {
    await this.putAccount(address)
    this.#clear(address)
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const account = (await this.getAccount(address)) ?? new Account()
    await this.putAccount(address, Object.assign(account, fields))
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = keccak256(code)
    this.#codes.set(toLatin1(codeHash), code)
    await this.modifyAccountFields(address, { codeHash })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const account = await this.getAccount(address)
    if (account === undefined || equalBytes(account.codeHash, emptyCodeHash)) return noCode
    return (
      this.#codes.get(toLatin1(account.codeHash)) ??
      (await this.#proved.code(address.bytes, account.codeHash))
    )
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  /** Without leading zeros. */
  async getStorage({ bytes }: Address, position: Uint8Array): Promise<Uint8Array> {
    const name = toLatin1(bytes)
    const storage = this.#storages.get(name)
    const written = storage?.slots.get(toLatin1(position))
    if (written !== undefined) return written
    if (storage?.isCleared === true) return noBytes
    if (this.#accounts.has(name) && this.#accounts.get(name) === undefined) return noBytes
    const account = this.#proved.account(bytes)
    const proved = account instanceof Promise ? await account : account
    if (proved === null || equalBytes(proved.storageRoot, emptyTrieRoot)) return noBytes
    const word = this.#proved.slot(bytes, proved.storageRoot, position)
    return withoutLeadingZeros(word instanceof Promise ? await word : word)
  }

  // oxlint-disable-next-line typescript/require-await -- the library's interface
  async putStorage({ bytes }: Address, position: Uint8Array, value: Uint8Array): Promise<void> {
    const name = toLatin1(bytes)
    let storage = this.#storages.get(name)
    if (storage === undefined) {
      storage = { isCleared: false, slots: new Map() }
      this.#set(this.#storages, name, storage)
    }
    this.#set(storage.slots, toLatin1(position), withoutLeadingZeros(value))
  }

  async clearStorage(address: Address): Promise<void> {
    this.#clear(address)
    await this.modifyAccountFields(address, { storageRoot: emptyTrieRoot })
  }

  #clear({ bytes }: Address): void {
    this.#set(this.#storages, toLatin1(bytes), { isCleared: true, slots: new Map() })
  }

  /** Sets the value and appends the undo step. */
  #set<T>(map: Map<string, T>, name: string, value: T): void {
    if (map.has(name)) {
      const previous = map.get(name) as T
      this.#undo.push(() => map.set(name, previous))
    } else {
      this.#undo.push(() => map.delete(name))
    }
    map.set(name, value)
  }

  // oxlint-disable-next-line typescript/require-await -- the library's interface
  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length)
  }

  // oxlint-disable-next-line typescript/require-await -- the library's interface
  async commit(): Promise<void> {
    this.#checkpoints.pop()
    if (this.#checkpoints.length === 0) this.#undo.length = 0
  }

  // oxlint-disable-next-line typescript/require-await -- the library's interface
  async revert(): Promise<void> {
    const length = this.#checkpoints.pop() ?? 0
    while (this.#undo.length > length) this.#undo.pop()?.()
  }

  clearCaches(): void {}

  async getStateRoot(): Promise<Uint8Array> {
    if (this.#rootOf === null) throw noRoot()
    return await this.#rootOf({ accounts: this.#accounts, storages: this.#storages })
  }

  setStateRoot(): Promise<void> {
    return Promise.reject(noRoot())
  }

  hasStateRoot(): Promise<boolean> {
    return Promise.reject(noRoot())
  }

  shallowCopy(): StateManagerInterface {
    return new CallState(this.#proved)
  }
}

function noRoot(): Error {
  return new Error('the state of a call has no root')
}

/** A copy, because the EVM modifies the accounts that it gets. */
function copyOf({ nonce, balance, storageRoot, codeHash }: Account): Account {
  return createAccount({ nonce, balance, storageRoot, codeHash })
}

function withoutLeadingZeros(word: Uint8Array): Uint8Array {
  const first = word.findIndex((byte) => byte !== 0)
  return first === -1 ? noBytes : word.subarray(first)
}
