// eth_getTransactionByBlockNumberAndIndex [tag or number, index]: as by block hash; null above the head. `pending` is the pending
// block, label `trusted`.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import type { FindSender } from '../../../chain/sender-cache.ts'
import { renderTransaction } from '../../../chain/transaction-object.ts'
import { readTransaction } from '../../../chain/transactions.ts'
import { transactionAt } from '../../replies/one-transaction.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { BlockParameter, RpcMethod } from '../../operation.ts'
import { parseArguments, parseIndex, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { isPending, readPendingTransactions } from '../../replies/pending-block.ts'
import { findResolved } from '../../bundles/proved-block.ts'

type Input = { readonly block: BlockParameter; readonly index: bigint }

export function createEthGetTransactionByBlockNumberAndIndex(
  findSender: FindSender,
): RpcMethod<Input> {
  return {
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'One transaction of a block.',
    params: [requiredParam('block', wire.blockNumber), requiredParam('index', wire.quantity)],
    result: wire.orNull(wire.transaction),
    units: 150,
    upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'number' } },
    cache: {
      block: ({ block }) => block,
      key: ({ index }) => `${index}`,
    },
    bundle: {
      as: 'eth_getTransactionByBlockHashAndIndex',
      block: ({ block }) => block,
      params: ({ index }, blockHash) => [blockHash, toQuantity(index)],
    },
    parse(params) {
      const [block, index] = parseArguments(params, [
        required(parseBlockNumber),
        required(parseIndex),
      ])
      return { block, index }
    },
    *read({ block, index }, call) {
      if (isPending(block)) {
        const raw = (yield* readPendingTransactions(call)).find((_, at) => BigInt(at) === index)
        return raw === undefined ? null : renderTransaction(readTransaction(raw, findSender), null)
      }
      const found = yield* findResolved(call, block)
      return found === null ? null : yield* transactionAt(call, found, index, findSender)
    },
  }
}
