// Transactions that wait for their nonce, one per sender and nonce. Bounded per sender and in all.
import { Fault } from '../../../base/fault.ts'
import { toBareHex } from '../../../base/hex.ts'

/** `raw`: without sidecar. `cost`: the most it can take from its sender, wei. Fees in wei per gas. */
export type PoolEntry = {
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly cost: bigint
  readonly feeCap: bigint
  readonly tip: bigint
}

export type PoolLimits = { readonly perSenderMax: number; readonly totalMax: number }

const defaultPoolLimits: PoolLimits = { perSenderMax: 256, totalMax: 4096 }

/** A replacement must pay this many percent more, in both fees. */
const bumpPercent = 10n

export class Pool {
  readonly #limits: PoolLimits
  readonly #bySender = new Map<string, Map<bigint, PoolEntry>>()
  readonly #byHash = new Map<string, PoolEntry>()

  constructor(limits: PoolLimits = defaultPoolLimits) {
    this.#limits = limits
  }

  find(hash: Uint8Array): PoolEntry | null {
    return this.#byHash.get(toBareHex(hash)) ?? null
  }

  at(sender: Uint8Array, nonce: bigint): PoolEntry | null {
    return this.#bySender.get(toBareHex(sender))?.get(nonce) ?? null
  }

  /** The first nonce from `nonce` on that nothing here uses. */
  nextNonce(sender: Uint8Array, nonce: bigint): bigint {
    let next = nonce
    while (this.at(sender, next) !== null) next += 1n
    return next
  }

  /** What the sender's entries may cost together, but for the one of `nonce`. */
  costBeside(sender: Uint8Array, nonce: bigint): bigint {
    let sum = 0n
    for (const entry of this.#bySender.get(toBareHex(sender))?.values() ?? []) {
      if (entry.nonce !== nonce) sum += entry.cost
    }
    return sum
  }

  /**
   * Throws `pool_refused` when it is known, pays too little to replace another, or there is no room.
   * `leavesNow`: it goes into a block at once, so it needs no room; the full queue may wait for just this one.
   */
  add(entry: PoolEntry, leavesNow = false): void {
    if (this.find(entry.hash) !== null) throw refused('already known')
    const before = this.at(entry.sender, entry.nonce)
    if (before === null && !leavesNow) this.#checkRoom(entry.sender)
    if (before !== null && !outbids(entry, before)) {
      throw refused('replacement transaction underpriced')
    }
    if (before !== null) this.remove(before)
    const key = toBareHex(entry.sender)
    const entries = this.#bySender.get(key) ?? new Map<bigint, PoolEntry>()
    this.#bySender.set(key, entries.set(entry.nonce, entry))
    this.#byHash.set(toBareHex(entry.hash), entry)
  }

  remove(entry: PoolEntry): void {
    this.#byHash.delete(toBareHex(entry.hash))
    const key = toBareHex(entry.sender)
    const entries = this.#bySender.get(key)
    entries?.delete(entry.nonce)
    if (entries?.size === 0) this.#bySender.delete(key)
  }

  #checkRoom(sender: Uint8Array): void {
    const own = this.#bySender.get(toBareHex(sender))?.size ?? 0
    if (own >= this.#limits.perSenderMax) throw refused('account limit exceeded')
    if (this.#byHash.size >= this.#limits.totalMax) throw refused('txpool is full')
  }
}

function outbids(entry: PoolEntry, before: PoolEntry): boolean {
  const raised = (value: bigint) => (value * (100n + bumpPercent)) / 100n
  return (
    entry.feeCap > before.feeCap &&
    entry.tip > before.tip &&
    entry.feeCap >= raised(before.feeCap) &&
    entry.tip >= raised(before.tip)
  )
}

function refused(detail: string): Fault {
  return new Fault('pool_refused', { detail })
}
