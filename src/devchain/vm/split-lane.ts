// One sender's waiting transactions by what the account's nonce allows. Pure.
// Tested by src/devchain/vm/engine.test.ts
import type { PoolEntry } from './pool.ts'

/** `stale`: nonces that are used up; `ready`: next in line, without a gap; `gapped`: after a gap. */
export type SplitLane = {
  readonly stale: readonly PoolEntry[]
  readonly ready: readonly PoolEntry[]
  readonly gapped: readonly PoolEntry[]
}

/** `lane`: lowest nonce first. `nonce`: the account's next one. */
export function splitLane(lane: readonly PoolEntry[], nonce: bigint): SplitLane {
  const stale: PoolEntry[] = []
  const ready: PoolEntry[] = []
  const gapped: PoolEntry[] = []
  let next = nonce
  for (const entry of lane) {
    if (entry.nonce < next) stale.push(entry)
    else if (entry.nonce > next) gapped.push(entry)
    else {
      ready.push(entry)
      next += 1n
    }
  }
  return { stale, ready, gapped }
}
