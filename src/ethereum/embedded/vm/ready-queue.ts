// What may go into one block, best first: by what a gas pays beyond the base fee, then by arrival; one
// sender's transactions in the order of their nonces.
import type { PoolEntry } from './pool.ts'

/** What a block still has room for. */
export type Room = { readonly gas: bigint; readonly blobs: number }

type Lane = { readonly entries: readonly PoolEntry[]; at: number }

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
    this.#lanes = new Set(parts.lanes.map((entries) => ({ entries, at: 0 })))
    this.#rank = new Map([...parts.inArrival].map((entry, rank) => [entry, rank] as const))
  }

  /** The next to try, null when nothing more fits. A sender whose next one is too dear or too big waits. */
  next(room: Room): PoolEntry | null {
    this.#best = null
    let best: PoolEntry | null = null
    for (const lane of this.#lanes) {
      const entry = lane.entries[lane.at]
      if (entry === undefined || !this.#fits(entry, room)) this.#lanes.delete(lane)
      else if (best === null || this.#isBetter(entry, best)) {
        best = entry
        this.#best = lane
      }
    }
    return best
  }

  /** What `next` gave is in the block: its sender's following one may come. */
  take(): void {
    if (this.#best !== null) this.#best.at += 1
  }

  /** What `next` gave cannot run: nor can what follows it. */
  skip(): void {
    if (this.#best !== null) this.#lanes.delete(this.#best)
  }

  #fits({ gas, blobs, feeCap, blobFeeCap }: PoolEntry, room: Room): boolean {
    const { baseFee, blobFee } = this.#parts
    const priced = feeCap >= baseFee && (blobFeeCap === null || blobFeeCap >= blobFee)
    return priced && gas <= room.gas && blobs <= room.blobs
  }

  #isBetter(a: PoolEntry, b: PoolEntry): boolean {
    const [tipA, tipB] = [this.#tip(a), this.#tip(b)]
    if (tipA !== tipB) return tipA > tipB
    return (this.#rank.get(a) ?? 0) < (this.#rank.get(b) ?? 0)
  }

  #tip({ feeCap, tip }: PoolEntry): bigint {
    const rest = feeCap - this.#parts.baseFee
    return rest < tip ? rest : tip
  }
}
