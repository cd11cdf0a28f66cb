// The transaction at an index of a proved block, for the operations that ask by place.
// Tested by src/gateway/operations/golden.test.ts
import { entryAt } from '../../codec/list.ts'
import { heldTransactionList, type ProvedHeader } from '../../ethereum/blocks.ts'
import { readEntry } from '../../ethereum/list-entries.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { renderTransaction } from '../../ethereum/transaction-object.ts'
import { placeIn, readTransaction } from '../../ethereum/transactions.ts'
import type { CallNow, RpcCall } from '../operation.ts'

/** The JSON object, or null when the proved list has no such index. Throws `pruned`, `unprovable`. */
export async function transactionAt(
  call: RpcCall,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): Promise<unknown> {
  const at = placeOf(index)
  const raw = await readEntry(call.network, block, 'transactions', at, call.signal)
  call.labels.level('proof')
  return renderAt(raw, block, at, findSender)
}

/** The same when the list is at hand, else undefined. */
export function transactionNow(
  call: CallNow,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): unknown {
  const list = heldTransactionList(call.network, block)
  if (list === null) return undefined
  call.labels.level('proof')
  const at = placeOf(index)
  return renderAt(entryAt(list, at), block, at, findSender)
}

/** No list is as long as 2^53, above which a number would come back as another one. */
function placeOf(index: bigint): number {
  return index > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(index)
}

function renderAt(
  raw: Uint8Array | null,
  block: ProvedHeader,
  at: number,
  findSender: FindSender,
): unknown {
  if (raw === null) return null
  return renderTransaction(readTransaction(raw, findSender), placeIn(block, at))
}
