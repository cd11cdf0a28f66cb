// A proved block as eth_getBlockBy… answer it, with transactions as hashes or as objects.
// Tested by src/gateway/operations/rpc-compat.test.ts
import { toHex } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/list.ts'
import { transactionHash } from '../../codec/transaction.ts'
import { type ProvedHeader, readBlockLists } from '../../ethereum/blocks.ts'
import { renderBlock } from '../../ethereum/block-object.ts'
import type { Read } from '../../ethereum/read.ts'
import type { FindSender } from '../../ethereum/sender-cache.ts'
import { renderTransaction } from '../../ethereum/transaction-object.ts'
import { placeIn, readTransaction } from '../../ethereum/transactions.ts'
import type { ReadCall } from '../operation.ts'

/** The JSON object; label `proof`. Throws `pruned`, `unprovable`. */
export function* blockReply(
  call: ReadCall,
  block: ProvedHeader,
  full: boolean,
  findSender: FindSender,
): Read<unknown> {
  const lists = yield* readBlockLists(call.network, block)
  call.labels.level('proof')
  const shown = decodeEntries(lists.transactions).map((raw, index) =>
    full
      ? renderTransaction(readTransaction(raw, findSender), placeIn(block, index))
      : toHex(transactionHash(raw)),
  )
  return renderBlock(block, lists, shown)
}
