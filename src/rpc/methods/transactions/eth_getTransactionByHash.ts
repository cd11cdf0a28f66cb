// eth_getTransactionByHash [hash]: the transaction of a canonical block, proved; otherwise the pending one of the pool; otherwise
// null, label `none`, because the absence of a transaction has no proof.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { equalBytes, toHex } from '../../../base/hex.ts'
import { transactionHash } from '../../../codec/ethereum/transaction.ts'
import { findLocated, type Located } from '../../../chain/located.ts'
import type { FindSender } from '../../../chain/sender-cache.ts'
import { renderTransaction } from '../../../chain/transaction-object.ts'
import { completeRead } from '../../../chain/read.ts'
import { readTransaction } from '../../../chain/transactions.ts'
import { shownTransaction } from '../../replies/shown-transaction.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcCall, RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'

export function createEthGetTransactionByHash(findSender: FindSender): RpcMethod<Uint8Array> {
  const mined = async ({ block, index, raw }: Located, call: RpcCall) => {
    const { network, labels, signal } = call
    labels.block({ network: network.name, hash: block.hash, number: block.header.number })
    labels.level('proof')
    return await completeRead(shownTransaction(call, block, { raw, index }, findSender), signal)
  }
  return {
    name: 'eth_getTransactionByHash',
    summary: 'A transaction.',
    params: [requiredParam('transactionHash', wire.transactionHash)],
    result: wire.orNull(wire.transaction),
    units: 80,
    upstream: { serve: 'prove', class: 'read', data: 'block', block: null },
    bundle: {
      block: () => null,
      params: (hash) => [toHex(hash)],
    },
    parse(params) {
      const [hash] = parseArguments(params, [required(parseHash)])
      return hash
    },
    async run(hash, call) {
      const { network, signal } = call
      const located = await findLocated(network, hash, signal)
      if (located !== null) return await mined(located, call)
      const raw = await network.pool.pendingTransaction(hash, signal, call.caller)
      if (raw !== null && equalBytes(transactionHash(raw), hash)) {
        call.labels.level(network.pool.level)
        return renderTransaction(readTransaction(raw, findSender), null)
      }
      // Between the two lookups it may have moved from the pool to a block.
      const since = await findLocated(network, hash, signal)
      if (since !== null) return await mined(since, call)
      call.labels.level('none')
      return null
    },
  }
}
