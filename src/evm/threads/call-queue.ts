// Queue of a call thread. Accounts are served round-robin, and within an account its keys. So a key with a thousand calls gets
// the same share as a key with one, and an account with nine keys the same as an account with one.
import { Fault } from '../../base/fault.ts'
import type { CallOwner } from '../../chain/computation.ts'

export type QueuedCall = CallOwner & { readonly id: number }

export type QueueLimits = {
  /** Waiting calls of one account, and of all. A further call is refused with `overloaded`. */
  readonly queuedPerAccountMax: number
  readonly queuedMax: number
  /** Calls in progress at the same time, of one account and of all: the second is with the thread when the first ends. */
  readonly activePerAccountMax: number
  readonly activeMax: number
}

const defaultQueueLimits: QueueLimits = {
  queuedPerAccountMax: 512,
  queuedMax: 2048,
  activePerAccountMax: 2,
  activeMax: 32,
}

type Account<T> = {
  /** Round-robin order; only keys with waiting calls. */
  readonly keys: Map<string, T[]>
  queued: number
  active: number
}

export class CallQueue<T extends QueuedCall> {
  readonly #limits: QueueLimits
  /** Round-robin order; only accounts with calls that wait or are in progress. */
  readonly #accounts = new Map<string, Account<T>>()
  readonly #active = new Map<number, T>()
  #queued = 0

  constructor(limits: QueueLimits = defaultQueueLimits) {
    this.#limits = limits
  }

  get active(): ReadonlyMap<number, T> {
    return this.#active
  }

  get size(): number {
    return this.#queued + this.#active.size
  }

  /**
   * If the queue is full, removes the newest call of the account with the most waiting calls and returns it, for the caller to
   * reject. Throws `overloaded` if that account is the call's own.
   */
  add(entry: T): T | null {
    const { queuedPerAccountMax, queuedMax } = this.#limits
    const account = this.#accounts.get(entry.accountId) ?? { keys: new Map(), queued: 0, active: 0 }
    if (account.queued >= queuedPerAccountMax) throw new Fault('overloaded')
    const evicted = this.#queued >= queuedMax ? this.#newestOfLargest(account.queued + 1) : null
    if (evicted !== null) this.remove(evicted)
    this.#accounts.set(entry.accountId, account)
    const keyCalls = account.keys.get(entry.keyId) ?? []
    keyCalls.push(entry)
    account.keys.set(entry.keyId, keyCalls)
    account.queued += 1
    this.#queued += 1
    return evicted
  }

  /** Returns the next call that may begin, or null. Prefers an account with no call in progress. */
  begin(): T | null {
    if (this.#active.size >= this.#limits.activeMax || this.#queued === 0) return null
    let best: Account<T> | null = null
    for (const account of this.#accounts.values()) {
      if (account.queued === 0 || account.active >= this.#limits.activePerAccountMax) continue
      if (best === null || account.active < best.active) best = account
      if (best.active === 0) break
    }
    const next = best?.keys.values().next().value?.[0]
    if (best === null || next === undefined) return null
    this.#dequeue(best, next)
    best.active += 1
    this.#active.set(next.id, next)
    // Move the account and its key to the end.
    this.#accounts.delete(next.accountId)
    this.#accounts.set(next.accountId, best)
    const remaining = best.keys.get(next.keyId)
    if (remaining !== undefined) {
      best.keys.delete(next.keyId)
      best.keys.set(next.keyId, remaining)
    }
    return next
  }

  /** Removes an entry, waiting or in progress. */
  remove(entry: T): void {
    const account = this.#accounts.get(entry.accountId)
    if (account === undefined) return
    if (this.#active.delete(entry.id)) account.active -= 1
    else this.#dequeue(account, entry)
    if (account.queued === 0 && account.active === 0) this.#accounts.delete(entry.accountId)
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
      if (account.queued > (largest?.queued ?? atLeast)) largest = account
    }
    let newest: T | null = null
    for (const keyCalls of largest?.keys.values() ?? []) {
      const last = keyCalls.at(-1)
      if (last !== undefined && last.id > (newest?.id ?? -1)) newest = last
    }
    if (newest === null) throw new Fault('overloaded')
    return newest
  }

  #dequeue(account: Account<T>, { id, keyId }: T): void {
    const keyCalls = account.keys.get(keyId) ?? []
    const at = keyCalls.findIndex((entry) => entry.id === id)
    if (at === -1) return
    keyCalls.splice(at, 1)
    account.queued -= 1
    this.#queued -= 1
    if (keyCalls.length === 0) account.keys.delete(keyId)
  }
}
