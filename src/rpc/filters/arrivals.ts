// Transactions that became ready for a block, for filters that any process may poll: numbered by the pool of one process.
// Tested by src/rpc/filters/filter-changes.test.ts
import type { Network } from '../../chain/network.ts'
import type { ChainPoint } from '../../chain/reorg-path.ts'
import type { ReadyTransactions } from '../../chain/transaction-pool.ts'

/**
 * `hash`es, and the place after them: the ID of the pool, and a number. `dropped`: some of them are forgotten. `elsewhere`: the
 * place is of a pool of another process, or of an earlier one.
 */
export type Arrivals =
  | 'dropped'
  | 'elsewhere'
  | { readonly hashes: readonly Uint8Array[]; readonly to: ChainPoint }

/** At most `max` after the place `from`; null: only the place of now. */
export type ReadArrivals = (
  network: Network,
  from: ChainPoint | null,
  max: number,
) => Arrivals | Promise<Arrivals>

export function readArrivals(
  arrivals: ReadyTransactions,
  from: ChainPoint | null,
  max: number,
): Arrivals {
  const { id, end } = arrivals
  if (from === null) return { hashes: [], to: { hash: id, number: BigInt(end) } }
  if (Buffer.compare(from.hash, id) !== 0) return 'elsewhere'
  const hashes = arrivals.read(Number(from.number), max)
  if (hashes === null) return 'dropped'
  return { hashes, to: { hash: id, number: from.number + BigInt(hashes.length) } }
}
