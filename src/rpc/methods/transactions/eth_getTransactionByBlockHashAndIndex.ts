// eth_getTransactionByBlockHashAndIndex [blockHash, index]: one transaction of the list that the block's transactionsRoot commits
// to. An index past its end is null, proved; an unknown hash is null, label `none`.
// Tested by src/rpc/methods/state/golden.test.ts
import { toQuantity } from '../../../base/hex.ts'
import type { FindSender } from '../../../chain/sender-cache.ts'
import { transactionAt } from '../../replies/one-transaction.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, parseIndex, required } from '../../params/arguments.ts'
import { findNamed } from '../../bundles/proved-block.ts'

type Input = { readonly blockHash: Uint8Array; readonly index: bigint }

export function createEthGetTransactionByBlockHashAndIndex(
  findSender: FindSender,
): RpcMethod<Input> {
  return {
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'One transaction of a block.',
    params: [requiredParam('blockHash', wire.blockHash), requiredParam('index', wire.quantity)],
    result: wire.orNull(wire.transaction),
    units: 150,
    upstream: { serve: 'prove', class: 'read', data: 'block', block: { at: 0, form: 'hash' } },
    cache: {
      block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
      key: ({ index }) => `${index}`,
    },
    bundle: {
      block: ({ blockHash }) => ({ hash: blockHash, requireCanonical: false }),
      params: ({ index }, blockHash) => [blockHash, toQuantity(index)],
    },
    parse(params) {
      const [blockHash, index] = parseArguments(params, [required(parseHash), required(parseIndex)])
      return { blockHash, index }
    },
    *read({ blockHash, index }, call) {
      const block = yield* findNamed(call, blockHash)
      return block === null ? null : yield* transactionAt(call, block, index, findSender)
    },
  }
}
