// Pending transactions, one per sender and nonce. Limited per sender and in total. In memory only, so a restart drops them.
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'

/**
 * `raw`: without sidecar. `cost`: maximum total cost to the sender, wei. Fees in wei per gas.
 * `blobFeeCap`: null for a transaction without blobs.
 */
export type PoolEntry = {
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly nonce: bigint
  readonly gas: bigint
  readonly cost: bigint
  readonly feeCap: bigint
  readonly tip: bigint
  readonly blobs: number
  readonly blobFeeCap: bigint | null
  /** Sent by an impersonated account. */
  readonly unsigned?: true
}

/** `bytesMax`: total size of the raw transactions. */
export type PoolLimits = {
  readonly perSenderMax: number
  readonly totalMax: number
  readonly bytesMax: number
}

const defaultPoolLimits: PoolLimits = {
  perSenderMax: 256,
  totalMax: 4096,
  bytesMax: 32 * 1024 * 1024,
}

/** Minimum increase of both fees of a replacement, percent. */
const bumpPercent = 10n

export class Pool {
  readonly #limits: PoolLimits
  readonly #bySender = new Map<string, Map<bigint, PoolEntry>>()
  /** In order of arrival. */
  readonly #byHash = new Map<string, PoolEntry>()
  readonly #announced = new Set<PoolEntry>()
  #bytes = 0
  #version = 0

  constructor(limits: PoolLimits = defaultPoolLimits) {
    this.#limits = limits
  }

  find(hash: Uint8Array): PoolEntry | null {
    return this.#byHash.get(toBareHex(hash)) ?? null
  }

  at(sender: Uint8Array, nonce: bigint): PoolEntry | null {
    return this.#bySender.get(toBareHex(sender))?.get(nonce) ?? null
  }

  /** The first nonce, from `nonce` on, without an entry of this sender. */
  nextNonce(sender: Uint8Array, nonce: bigint): bigint {
    let next = nonce
    while (this.at(sender, next) !== null) next += 1n
    return next
  }

  /**
   * Maximum total cost of the sender's consecutive entries from the nonce `next` on, except the one with `nonce`. As in
   * go-ethereum, entries after a nonce gap do not count.
   */
  costExcept(sender: Uint8Array, nonce: bigint, next: bigint): bigint {
    let sum = 0n
    for (let at = next; ; at += 1n) {
      const entry = this.at(sender, at)
      if (entry === null) return sum
      if (at !== nonce) sum += entry.cost
    }
  }

  /**
   * Throws `pool_refused` if the transaction is known, underpriced as a replacement, or the pool is full.
   * `minesNow`: it is mined immediately, so the limits do not apply; mining it may unblock a full pool.
   */
  add(entry: PoolEntry, minesNow = false): void {
    if (this.find(entry.hash) !== null) throw refused('already known')
    const existing = this.at(entry.sender, entry.nonce)
    if (existing === null && !minesNow) this.#checkRoom(entry)
    if (existing !== null && !outbids(entry, existing)) {
      throw refused('replacement transaction underpriced')
    }
    if (existing !== null) this.remove(existing)
    const key = toBareHex(entry.sender)
    const entries = this.#bySender.get(key) ?? new Map<bigint, PoolEntry>()
    this.#bySender.set(key, entries.set(entry.nonce, entry))
    this.#byHash.set(toBareHex(entry.hash), entry)
    this.#bytes += entry.raw.length
    this.#version += 1
  }

  /** Replaces all entries by `entries`, in their order. */
  replaceAll(entries: readonly PoolEntry[]): void {
    for (const entry of this.#byHash.values()) this.remove(entry)
    for (const entry of entries) this.add(entry, true)
    this.#version += 1
  }

  remove(entry: PoolEntry): void {
    if (!this.#byHash.delete(toBareHex(entry.hash))) return
    this.#bytes -= entry.raw.length
    this.#version += 1
    this.#announced.delete(entry)
    const key = toBareHex(entry.sender)
    const entries = this.#bySender.get(key)
    entries?.delete(entry.nonce)
    if (entries?.size === 0) this.#bySender.delete(key)
  }

  /** Changes with every modification. */
  get version(): number {
    return this.#version
  }

  get size(): number {
    return this.#byHash.size
  }

  /** All entries in order of arrival; a replacement counts as a new arrival. */
  inArrival(): Iterable<PoolEntry> {
    return this.#byHash.values()
  }

  /** One sender's entries, lowest nonce first. */
  ofSender(sender: Uint8Array): readonly PoolEntry[] {
    return [...(this.#bySender.get(toBareHex(sender))?.values() ?? [])].toSorted(byNonce)
  }

  /** The entries of all senders, one list per sender, lowest nonce first. */
  lanes(): readonly (readonly PoolEntry[])[] {
    return [...this.#bySender.values()].map((entries) => [...entries.values()].toSorted(byNonce))
  }

  /** True at the first call for an entry of the pool: the caller emits its event then. */
  announce(entry: PoolEntry): boolean {
    if (this.find(entry.hash) !== entry || this.#announced.has(entry)) return false
    this.#announced.add(entry)
    return true
  }

  #checkRoom({ sender, raw }: PoolEntry): void {
    const ofSender = this.#bySender.get(toBareHex(sender))?.size ?? 0
    if (ofSender >= this.#limits.perSenderMax) throw refused('account limit exceeded')
    const full = this.#byHash.size >= this.#limits.totalMax
    if (full || this.#bytes + raw.length > this.#limits.bytesMax) throw refused('txpool is full')
  }
}

function byNonce(a: PoolEntry, b: PoolEntry): number {
  return a.nonce < b.nonce ? -1 : 1
}

function outbids(entry: PoolEntry, existing: PoolEntry): boolean {
  const raised = (value: bigint) => (value * (100n + bumpPercent)) / 100n
  return (
    entry.feeCap > existing.feeCap &&
    entry.tip > existing.tip &&
    entry.feeCap >= raised(existing.feeCap) &&
    entry.tip >= raised(existing.tip)
  )
}

function refused(detail: string): Fault {
  return new Fault('pool_refused', { detail })
}
