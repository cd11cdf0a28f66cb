// The last transactions that became ready for a block, numbered in their order, so that each reader has its own
// position. Bounded: the oldest are dropped, and a reader that comes too late for them gets null.

export interface ReadyTransactions {
  /** The number of the next transaction. */
  readonly end: number
  /** Hashes (32 bytes) from number `from` on, at most `max`; null if some of them were dropped. */
  read(from: number, max: number): readonly Uint8Array[] | null
}

export type ReadyTransactionLog = ReadyTransactions & { add(hash: Uint8Array): void }

/** `kept`: how many are remembered. */
export function createReadyTransactions(kept = 16_384): ReadyTransactionLog {
  const hashes: Uint8Array[] = []
  let end = 0
  return {
    get end() {
      return end
    },
    add(hash) {
      hashes[end % kept] = hash
      end += 1
    },
    read(from, max) {
      if (from < end - kept) return null
      const count = Math.max(0, Math.min(max, end - from))
      return Array.from({ length: count }, (_, at) => hashes[(from + at) % kept] as Uint8Array)
    },
  }
}
