// Renders a proved block for eth_getBlockBy…, with transactions as hashes or as objects.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toHex } from '../../base/hex.ts'
import { decodeEntries } from '../../codec/ethereum/list.ts'
import { transactionHash } from '../../codec/ethereum/transaction.ts'
import { type ProvedHeader, readBlockLists } from '../../chain/blocks.ts'
import { renderBlock } from '../../chain/block-object.ts'
import type { Read } from '../../chain/read.ts'
import type { FindSender } from '../../chain/sender-cache.ts'
import { renderTransaction } from '../../chain/transaction-object.ts'
import { locationIn, readTransaction } from '../../chain/transactions.ts'
import { depositType } from '../../codec/ethereum/system-transaction.ts'
import type { ReadCall } from '../operation.ts'
import { shownTransaction } from './shown-transaction.ts'

/** The JSON object; label `proof`, or `block` as in `shownTransaction`. Throws `pruned`, `unprovable`. */
export function* blockReply(
  call: ReadCall,
  block: ProvedHeader,
  full: boolean,
  findSender: FindSender,
): Read<unknown> {
  const lists = yield* readBlockLists(call.network, block)
  call.labels.level('proof')
  const shown: unknown[] = []
  for (const [index, raw] of decodeEntries(lists.transactions).entries()) {
    shown.push(
      !full
        ? toHex(transactionHash(raw))
        : raw[0] === depositType
          ? yield* shownTransaction(call, block, { raw, index }, findSender)
          : renderTransaction(readTransaction(raw, findSender), locationIn(block, index)),
    )
  }
  return renderBlock(block, lists, shown)
}
