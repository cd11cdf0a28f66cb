// The transaction at an index of a proved block, for the operations that ask by place.
// Tested by src/gateway/operations/golden.test.ts
import { entryAt } from '../../codec/list.ts'
import {
  heldTransactionList,
  type ProvedHeader,
  readTransactionList,
} from '../../ethereum/blocks.ts'
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
  const list = await readTransactionList(call.network, block, call.signal)
  call.labels.level('proof')
  return renderAt(list, block, index, findSender)
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
  return renderAt(list, block, index, findSender)
}

function renderAt(
  list: Uint8Array,
  block: ProvedHeader,
  index: bigint,
  findSender: FindSender,
): unknown {
  // No list is as long as 2^53, above which a number would come back as another one.
  const at = Number(index)
  const raw = Number.isSafeInteger(at) ? entryAt(list, at) : null
  if (raw === null) return null
  return renderTransaction(readTransaction(raw, findSender), placeIn(block, at))
}
