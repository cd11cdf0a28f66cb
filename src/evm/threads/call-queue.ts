// Queue of a call thread. Accounts are served round-robin, and within an account its keys. So a key with a thousand calls gets
// the same share as a key with one, and an account with nine keys the same as an account with one.
import { Fault } from '../../base/fault.ts'
import type { CallOwner } from '../../chain/computation.ts'

export type Waiting = CallOwner & { readonly id: number }

export type QueueLimits = {
  /** Waiting calls of one account, and of all. A further call is refused with `overloaded`. */
  readonly waitingPerAccountMax: number
  readonly waitingMax: number
  /** Calls in progress at the same time, of one account and of all: the second is with the thread when the first ends. */
  readonly begunPerAccountMax: number
  readonly begunMax: number
}

const defaultQueueLimits: QueueLimits = {
  waitingPerAccountMax: 512,
  waitingMax: 2048,
  begunPerAccountMax: 2,
  begunMax: 32,
}

type Account<T> = {
  /** Round-robin order; only keys with waiting calls. */
  readonly keys: Map<string, T[]>
  waits: number
  begun: number
}

export class CallQueue<T extends Waiting> {
  readonly #limits: QueueLimits
  /** Round-robin order; only accounts with calls that wait or are in progress. */
  readonly #accounts = new Map<string, Account<T>>()
  readonly #begun = new Map<number, T>()
  #waits = 0

  constructor(limits: QueueLimits = defaultQueueLimits) {
    this.#limits = limits
  }

  get begun(): ReadonlyMap<number, T> {
    return this.#begun
  }

  get size(): number {
    return this.#waits + this.#begun.size
  }

  /**
   * If the queue is full, removes the newest call of the account with the most waiting calls and returns it, for the caller to
   * reject. Throws `overloaded` if that account is the call's own.
   */
  add(entry: T): T | null {
    const { waitingPerAccountMax, waitingMax } = this.#limits
    const account = this.#accounts.get(entry.accountId) ?? { keys: new Map(), waits: 0, begun: 0 }
    if (account.waits >= waitingPerAccountMax) throw new Fault('overloaded')
    const loser = this.#waits >= waitingMax ? this.#newestOfLargest(account.waits + 1) : null
    if (loser !== null) this.remove(loser)
    this.#accounts.set(entry.accountId, account)
    const own = account.keys.get(entry.keyId) ?? []
    own.push(entry)
    account.keys.set(entry.keyId, own)
    account.waits += 1
    this.#waits += 1
    return loser
  }

  /** Returns the next call that may begin, or null. Prefers an account with no call in progress. */
  begin(): T | null {
    if (this.#begun.size >= this.#limits.begunMax || this.#waits === 0) return null
    let best: Account<T> | null = null
    for (const account of this.#accounts.values()) {
      if (account.waits === 0 || account.begun >= this.#limits.begunPerAccountMax) continue
      if (best === null || account.begun < best.begun) best = account
      if (best.begun === 0) break
    }
    const next = best?.keys.values().next().value?.[0]
    if (best === null || next === undefined) return null
    this.#takeOut(best, next)
    best.begun += 1
    this.#begun.set(next.id, next)
    // Move the account and its key to the end.
    this.#accounts.delete(next.accountId)
    this.#accounts.set(next.accountId, best)
    const left = best.keys.get(next.keyId)
    if (left !== undefined) {
      best.keys.delete(next.keyId)
      best.keys.set(next.keyId, left)
    }
    return next
  }

  /** Removes an entry, waiting or in progress. */
  remove(entry: T): void {
    const account = this.#accounts.get(entry.accountId)
    if (account === undefined) return
    if (this.#begun.delete(entry.id)) account.begun -= 1
    else this.#takeOut(account, entry)
    if (account.waits === 0 && account.begun === 0) this.#accounts.delete(entry.accountId)
  }

  /** Removes and returns all waiting entries; entries in progress stay. */
  clear(): T[] {
    const all = Array.from(this.#accounts.values(), ({ keys }) => [...keys.values()].flat()).flat()
    for (const entry of all) this.remove(entry)
    return all
  }

  /** Throws `overloaded` if no account has more than `atLeast` waiting calls. */
  #newestOfLargest(atLeast: number): T {
    let largest: Account<T> | null = null
    for (const account of this.#accounts.values()) {
      if (account.waits > (largest?.waits ?? atLeast)) largest = account
    }
    let newest: T | null = null
    for (const own of largest?.keys.values() ?? []) {
      const last = own.at(-1)
      if (last !== undefined && last.id > (newest?.id ?? -1)) newest = last
    }
    if (newest === null) throw new Fault('overloaded')
    return newest
  }

  #takeOut(account: Account<T>, { id, keyId }: T): void {
    const own = account.keys.get(keyId) ?? []
    const at = own.findIndex((entry) => entry.id === id)
    if (at === -1) return
    own.splice(at, 1)
    account.waits -= 1
    this.#waits -= 1
    if (own.length === 0) account.keys.delete(keyId)
  }
}
