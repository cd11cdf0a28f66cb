// The calls that wait for a call thread. Accounts take turns, and within an account its keys: a key with a thousand calls and a key
// with one are served alike, and so are an account with nine keys and an account with one.
import { Fault } from '../base/fault.ts'
import type { CallOwner } from '../chain/computation.ts'

export type Waiting = CallOwner & { readonly id: number }

export type QueueLimits = {
  /** Of one account, and of all. One more is refused with `overloaded`. */
  readonly waitingPerAccountMax: number
  readonly waitingMax: number
  /** Under way at the same time, of one account and of all: the second is there when the first ends. */
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
  /** In the order in which the keys are next; no key with nothing waiting. */
  readonly keys: Map<string, T[]>
  waits: number
  begun: number
}

export class CallQueue<T extends Waiting> {
  readonly #limits: QueueLimits
  /** In the order in which the accounts are next; none with nothing waiting and nothing begun. */
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
   * When the queue is full, the newest call of the account with the most calls gives its place up: it is removed and
   * returned, for the caller to refuse. Throws `overloaded` when that account is the call's own.
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

  /** Takes the next that may begin, or null: of an account with nothing under way, if there is one. */
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
    // The account and its key go to the end.
    this.#accounts.delete(next.accountId)
    this.#accounts.set(next.accountId, best)
    const left = best.keys.get(next.keyId)
    if (left !== undefined) {
      best.keys.delete(next.keyId)
      best.keys.set(next.keyId, left)
    }
    return next
  }

  /** Forgets an entry, waiting or begun. */
  remove(entry: T): void {
    const account = this.#accounts.get(entry.accountId)
    if (account === undefined) return
    if (this.#begun.delete(entry.id)) account.begun -= 1
    else this.#takeOut(account, entry)
    if (account.waits === 0 && account.begun === 0) this.#accounts.delete(entry.accountId)
  }

  /** Forgets all that waits and gives it back; what has begun stays. */
  clear(): T[] {
    const all = Array.from(this.#accounts.values(), ({ keys }) => [...keys.values()].flat()).flat()
    for (const entry of all) this.remove(entry)
    return all
  }

  /** Throws `overloaded` when no account has more than `atLeast` calls that wait. */
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
