// The transaction at an index of a proved block, for the operations that ask by place.
// Tested by src/gateway/operations/golden.test.ts
import { decodeEntries } from '../codec/list.ts'
import { type ProvedHeader, readTransactionList } from '../ethereum/blocks.ts'
import type { FindSender } from '../ethereum/sender-cache.ts'
import { renderTransaction } from '../ethereum/transaction-object.ts'
import { placeIn, readTransaction } from '../ethereum/transactions.ts'
import type { RpcCall } from './operation.ts'

/** The JSON object, or null when the proved list has no such index. Throws `pruned`, `unprovable`. */
export async function transactionAt(
  call: RpcCall,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): Promise<unknown> {
  const entries = decodeEntries(await readTransactionList(call.network, block, call.signal))
  call.labels.level('proof')
  // Compared as bigint: an index beyond 2^53 must not come back as another one.
  if (index >= BigInt(entries.length)) return null
  const at = Number(index)
  const raw = entries[at] as Uint8Array
  return renderTransaction(readTransaction(raw, findSender), placeIn(block, at))
}
