// Transactions that became ready for a block, numbered by the pool of one process, for filters that every process can poll.
// Tested by src/rpc/filters/filter-changes.test.ts
import type { Network } from '../../chain/network.ts'
import type { ChainPoint } from '../../chain/reorg-path.ts'
import type { ReadyTransactions } from '../../chain/transaction-pool.ts'

/**
 * `hashes`, and the place after them: the ID of the pool and a number. `dropped`: the pool discarded some of them. `elsewhere`: the
 * place belongs to the pool of another process, or of an earlier one.
 */
export type Arrivals =
  | 'dropped'
  | 'elsewhere'
  | { readonly hashes: readonly Uint8Array[]; readonly to: ChainPoint }

/** At most `max` after the place `from`; null: no hashes, only the current place. */
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
