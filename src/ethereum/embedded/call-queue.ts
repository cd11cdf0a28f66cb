// What waits for the call thread, taken key by key in turn: a key with a thousand calls and a key with one
// are served alike.
import { Fault } from '../../base/fault.ts'

export type Waiting = { readonly id: number; readonly keyId: string }

export type QueueLimits = {
  /** Of one key, and of all. One more is refused with `overloaded`. */
  readonly waitingPerKeyMax: number
  readonly waitingMax: number
  /** Under way at the same time, of one key and of all: the second is there when the first ends. */
  readonly begunPerKeyMax: number
  readonly begunMax: number
}

const defaultQueueLimits: QueueLimits = {
  waitingPerKeyMax: 512,
  waitingMax: 2048,
  begunPerKeyMax: 2,
  begunMax: 16,
}

export class CallQueue<T extends Waiting> {
  readonly #limits: QueueLimits
  /** In the order in which the keys are next; no key with nothing waiting. */
  readonly #waiting = new Map<string, T[]>()
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

  /** Throws `overloaded`. */
  add(entry: T): void {
    const own = this.#waiting.get(entry.keyId) ?? []
    const { waitingPerKeyMax, waitingMax } = this.#limits
    if (own.length >= waitingPerKeyMax || this.#waits >= waitingMax) throw new Fault('overloaded')
    own.push(entry)
    this.#waiting.set(entry.keyId, own)
    this.#waits += 1
  }

  /** Takes the next that may begin, or null. Its key goes to the end. */
  begin(): T | null {
    if (this.#begun.size >= this.#limits.begunMax) return null
    for (const [keyId, own] of this.#waiting) {
      if (this.#begunOf(keyId) >= this.#limits.begunPerKeyMax) continue
      const entry = own.shift() as T
      this.#waiting.delete(keyId)
      if (own.length > 0) this.#waiting.set(keyId, own)
      this.#waits -= 1
      this.#begun.set(entry.id, entry)
      return entry
    }
    return null
  }

  /** Forgets an entry, waiting or begun. */
  remove({ id, keyId }: T): void {
    if (this.#begun.delete(id)) return
    const own = this.#waiting.get(keyId) ?? []
    const at = own.findIndex((entry) => entry.id === id)
    if (at === -1) return
    own.splice(at, 1)
    this.#waits -= 1
    if (own.length === 0) this.#waiting.delete(keyId)
  }

  /** Forgets all that waits and gives it back; what has begun stays. */
  clear(): T[] {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#waits = 0
    return all
  }

  #begunOf(keyId: string): number {
    let count = 0
    for (const entry of this.#begun.values()) if (entry.keyId === keyId) count += 1
    return count
  }
}
