// Splits one sender's pending transactions by the account's nonce. Pure.
// Tested by src/devchain/engine/engine.test.ts
import type { PoolEntry } from './pool.ts'

/** `stale`: nonces already used; `ready`: consecutive from the next nonce; `gapped`: after a nonce gap. */
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
