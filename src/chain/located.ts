// Finds a transaction by its hash: the head supplies hints, which are checked against the proved list and the current chain.
import { hasCode } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import { transactionHash } from '../codec/ethereum/transaction.ts'
import { findHeader, type ProvedHeader } from './blocks.ts'
import type { TransactionHint } from './head.ts'
import { readEntry } from './list-entries.ts'
import type { Network } from './network.ts'
import { completeRead, type Read } from './read.ts'

export type Located = {
  readonly block: ProvedHeader
  readonly index: number
  /** The raw entry; its keccak256 is the requested hash. */
  readonly raw: Uint8Array
}

/**
 * Null if it is not found in a canonical block, which proves nothing. Throws `pruned`, and `unverified` if a reported location
 * cannot be proved and no other is correct.
 */
export async function findLocated(
  network: Network,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<Located | null> {
  let unproved: unknown = null
  for await (const hint of network.head.locate(hash, signal)) {
    try {
      const located = await completeRead(findAt(network, hint, hash), signal)
      if (located !== null) return located
    } catch (thrown) {
      // A wrong location from one upstream must not hide the correct one from another.
      if (!hasCode(thrown, 'unverified')) throw thrown
      unproved = thrown
    }
  }
  if (unproved !== null) throw unproved
  return null
}

function* findAt(network: Network, hint: TransactionHint, hash: Uint8Array): Read<Located | null> {
  const block = yield* findHeader(network, hint.blockHash)
  if (block === null) return null
  if (!(yield* network.head.isCanonical(block.hash, block.header.number))) return null
  const raw = yield* readEntry(network, block, 'transactions', hint.index)
  if (raw === null || !equalBytes(transactionHash(raw), hash)) return null
  return { block, index: hint.index, raw }
}
