// Converts encoded headers and blocks to the types of the EVM library.
// Tested by src/devchain/engine/engine.test.ts
import { createBlockFromBytesArray } from '@ethereumjs/block'
import type { Block } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import { decodeRlp, emptyRlpList } from '../codec/ethereum/rlp.ts'
import { withSender } from './unsigned-sender.ts'
import type { BlockParts } from '../codec/ethereum/block.ts'

/** `freeze` false: the result can be modified and does not cache its hashes. */
type ViewOptions = { readonly freeze?: boolean }

/** The whole block with decoded transactions, under the rules `common`. */
export function viewBlock(
  { header, transactions, uncles, withdrawals }: BlockParts,
  common: Common,
  { freeze = true }: ViewOptions = {},
): Block {
  const parts = [header, transactions, uncles, ...(withdrawals === null ? [] : [withdrawals])]
  const block = createBlockFromBytesArray(parts.map((part) => decodeRlp(part)) as never, {
    common,
    skipConsensusFormatValidation: true,
    freeze,
  })
  for (const [at, transaction] of block.transactions.entries()) {
    block.transactions[at] = withSender(transaction)
  }
  return block
}

/** A block with this header and no transactions, as context of a call or as parent of a new block. */
export function viewHeader(header: Uint8Array, common: Common, options: ViewOptions = {}): Block {
  const withdrawals = common.isActivatedEIP(4895) ? emptyRlpList : null
  return viewBlock(
    { header, transactions: emptyRlpList, uncles: emptyRlpList, withdrawals },
    common,
    options,
  )
}
