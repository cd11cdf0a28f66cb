// Transactions that may go into one block, best first: by tip per gas, then by arrival. Those of one sender are in nonce order.
import type { PoolEntry } from './pool.ts'

/** Space left in a block. */
export type PoolSpace = { readonly gas: bigint; readonly blobs: number }

/** A sender's position: `entry` is the one at `at`; `tip`: its fee per gas beyond the base fee; `rank`: its order of arrival. */
type Lane = {
  readonly entries: readonly PoolEntry[]
  at: number
  entry: PoolEntry | undefined
  tip: bigint
  rank: number
}

export type ReadyParts = {
  /** One list per sender: consecutive nonces from the sender's next one. */
  readonly lanes: readonly (readonly PoolEntry[])[]
  /** All pending transactions, in order of arrival. */
  readonly inArrival: Iterable<PoolEntry>
  /** Of the block, wei. */
  readonly baseFee: bigint
  readonly blobFee: bigint
}

export class ReadyQueue {
  readonly #lanes: Set<Lane>
  readonly #rank: ReadonlyMap<PoolEntry, number>
  readonly #parts: ReadyParts
  #best: Lane | null = null

  constructor(parts: ReadyParts) {
    this.#parts = parts
    this.#rank = new Map([...parts.inArrival].map((entry, rank) => [entry, rank] as const))
    this.#lanes = new Set(parts.lanes.map((entries) => this.#laneAt({ entries, at: 0 })))
  }

  /** The next transaction to try, or null if none fits. Skips a sender whose next one is underpriced or too large. */
  next(space: PoolSpace): PoolEntry | null {
    let best: Lane | null = null
    for (const lane of this.#lanes) {
      if (lane.entry === undefined || !this.#fits(lane.entry, space)) this.#lanes.delete(lane)
      else if (best === null || isBetter(lane, best)) best = lane
    }
    this.#best = best
    return best?.entry ?? null
  }

  /** The last result of `next` is in the block: the sender's next transaction becomes eligible. */
  advance(): void {
    const best = this.#best
    if (best !== null) Object.assign(best, this.#laneAt({ entries: best.entries, at: best.at + 1 }))
  }

  /** The last result of `next` cannot run, so the sender's later ones cannot either. */
  skip(): void {
    if (this.#best !== null) this.#lanes.delete(this.#best)
  }

  #laneAt({ entries, at }: Pick<Lane, 'entries' | 'at'>): Lane {
    const entry = entries[at]
    if (entry === undefined) return { entries, at, entry, tip: 0n, rank: 0 }
    const tipCap = entry.feeCap - this.#parts.baseFee
    const tip = tipCap < entry.tip ? tipCap : entry.tip
    return { entries, at, entry, tip, rank: this.#rank.get(entry) ?? 0 }
  }

  #fits({ gas, blobs, feeCap, blobFeeCap }: PoolEntry, space: PoolSpace): boolean {
    const { baseFee, blobFee } = this.#parts
    const priced = feeCap >= baseFee && (blobFeeCap === null || blobFeeCap >= blobFee)
    return priced && gas <= space.gas && blobs <= space.blobs
  }
}

function isBetter(a: Lane, b: Lane): boolean {
  return a.tip === b.tip ? a.rank < b.rank : a.tip > b.tip
}
