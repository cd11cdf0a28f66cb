// Transactions that wait for a block, one per sender and nonce. Bounded per sender and in all; in memory only,
// so a restart forgets them.
import { Fault } from '../../base/fault.ts'
import { toBareHex } from '../../base/hex.ts'

/**
 * `raw`: without sidecar. `cost`: the most it can take from its sender, wei. Fees in wei per gas.
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
  /** Impersonated. */
  readonly unsigned?: true
}

/** `bytesMax`: of all raw transactions together. */
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

/** A replacement must pay this many percent more, in both fees. */
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

  /** The first nonce from `nonce` on that nothing here uses. */
  nextNonce(sender: Uint8Array, nonce: bigint): bigint {
    let next = nonce
    while (this.at(sender, next) !== null) next += 1n
    return next
  }

  /**
   * What the sender's entries from its next nonce on may cost together, but for the one of `nonce`. As in
   * go-ethereum, what waits behind a gap costs nothing yet.
   */
  costBeside(sender: Uint8Array, nonce: bigint, next: bigint): bigint {
    let sum = 0n
    for (let at = next; ; at += 1n) {
      const entry = this.at(sender, at)
      if (entry === null) return sum
      if (at !== nonce) sum += entry.cost
    }
  }

  /**
   * Throws `pool_refused` when it is known, pays too little to replace another, or there is no room.
   * `leavesNow`: it goes into a block at once, so it needs no room; the full queue may wait for just this one.
   */
  add(entry: PoolEntry, leavesNow = false): void {
    if (this.find(entry.hash) !== null) throw refused('already known')
    const before = this.at(entry.sender, entry.nonce)
    if (before === null && !leavesNow) this.#checkRoom(entry)
    if (before !== null && !outbids(entry, before)) {
      throw refused('replacement transaction underpriced')
    }
    if (before !== null) this.remove(before)
    const key = toBareHex(entry.sender)
    const entries = this.#bySender.get(key) ?? new Map<bigint, PoolEntry>()
    this.#bySender.set(key, entries.set(entry.nonce, entry))
    this.#byHash.set(toBareHex(entry.hash), entry)
    this.#bytes += entry.raw.length
    this.#version += 1
  }

  /** Forgets all, and waits for `entries` in their order. */
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

  /** Another number after every change. */
  get version(): number {
    return this.#version
  }

  get size(): number {
    return this.#byHash.size
  }

  /** All that wait, in order of arrival; a replacement arrives anew. */
  inArrival(): Iterable<PoolEntry> {
    return this.#byHash.values()
  }

  /** One sender's entries, lowest nonce first. */
  ofSender(sender: Uint8Array): readonly PoolEntry[] {
    return [...(this.#bySender.get(toBareHex(sender))?.values() ?? [])].toSorted(byNonce)
  }

  /** Everybody's entries, one list a sender, lowest nonce first. */
  lanes(): readonly (readonly PoolEntry[])[] {
    return [...this.#bySender.values()].map((entries) => [...entries.values()].toSorted(byNonce))
  }

  /** True at the first call for a waiting entry: it may be announced now. */
  announce(entry: PoolEntry): boolean {
    if (this.find(entry.hash) !== entry || this.#announced.has(entry)) return false
    this.#announced.add(entry)
    return true
  }

  #checkRoom({ sender, raw }: PoolEntry): void {
    const own = this.#bySender.get(toBareHex(sender))?.size ?? 0
    if (own >= this.#limits.perSenderMax) throw refused('account limit exceeded')
    const full = this.#byHash.size >= this.#limits.totalMax
    if (full || this.#bytes + raw.length > this.#limits.bytesMax) throw refused('txpool is full')
  }
}

function byNonce(a: PoolEntry, b: PoolEntry): number {
  return a.nonce < b.nonce ? -1 : 1
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
