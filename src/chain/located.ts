// Where a transaction hash leads: the head's word is a hint, the proved list and the present chain decide.
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
  /** The raw entry; its keccak256 is the hash that was asked for. */
  readonly raw: Uint8Array
}

/**
 * Null when no canonical block is known to hold it; that is never a proof. Throws `pruned`, and `unverified` when a
 * place is named that cannot be proved and no other is right.
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
      // One upstream's wrong place does not hide the right one that another names.
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
