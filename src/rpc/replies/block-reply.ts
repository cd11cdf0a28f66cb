// A proved block as eth_getBlockBy… answer it, with transactions as hashes or as objects.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toHex } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { type ProvedHeader, readBlockLists } from '../../chain/blocks.ts'
import { renderBlock } from '../../chain/block-object.ts'
import type { Read } from '../../chain/read.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { renderTransaction } from '../../chain/transaction-object.ts'
import { placeIn, readTransaction } from '../../chain/transactions.ts'
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
