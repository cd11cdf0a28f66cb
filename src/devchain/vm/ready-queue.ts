// What may go into one block, best first: by what a gas pays beyond the base fee, then by arrival; one
// sender's transactions in the order of their nonces.
import type { PoolEntry } from './pool.ts'

/** What a block still has room for. */
export type PoolSpace = { readonly gas: bigint; readonly blobs: number }

/** A sender's turn: `entry` is the one at `at`; what it pays beyond the base fee, and when it came. */
type Lane = {
  readonly entries: readonly PoolEntry[]
  at: number
  entry: PoolEntry | undefined
  tip: bigint
  rank: number
}

export type ReadyParts = {
  /** One list a sender: nonces from the sender's next one on, without a gap. */
  readonly lanes: readonly (readonly PoolEntry[])[]
  /** All that wait, in order of arrival. */
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
    this.#lanes = new Set(parts.lanes.map((entries) => this.#turn({ entries, at: 0 })))
  }

  /** The next to try, null when nothing more fits. A sender whose next one is too dear or too big waits. */
  next(room: PoolSpace): PoolEntry | null {
    let best: Lane | null = null
    for (const lane of this.#lanes) {
      if (lane.entry === undefined || !this.#fits(lane.entry, room)) this.#lanes.delete(lane)
      else if (best === null || isBetter(lane, best)) best = lane
    }
    this.#best = best
    return best?.entry ?? null
  }

  /** What `next` gave is in the block: its sender's following one may come. */
  take(): void {
    const best = this.#best
    if (best !== null) Object.assign(best, this.#turn({ entries: best.entries, at: best.at + 1 }))
  }

  /** What `next` gave cannot run: nor can what follows it. */
  skip(): void {
    if (this.#best !== null) this.#lanes.delete(this.#best)
  }

  #turn({ entries, at }: Pick<Lane, 'entries' | 'at'>): Lane {
    const entry = entries[at]
    if (entry === undefined) return { entries, at, entry, tip: 0n, rank: 0 }
    const rest = entry.feeCap - this.#parts.baseFee
    const tip = rest < entry.tip ? rest : entry.tip
    return { entries, at, entry, tip, rank: this.#rank.get(entry) ?? 0 }
  }

  #fits({ gas, blobs, feeCap, blobFeeCap }: PoolEntry, room: PoolSpace): boolean {
    const { baseFee, blobFee } = this.#parts
    const priced = feeCap >= baseFee && (blobFeeCap === null || blobFeeCap >= blobFee)
    return priced && gas <= room.gas && blobs <= room.blobs
  }
}

function isBetter(a: Lane, b: Lane): boolean {
  return a.tip === b.tip ? a.rank < b.rank : a.tip > b.tip
}
