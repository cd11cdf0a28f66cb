// eth_getTransactionReceipt [hash]: the receipt from the proved list of its block, with members derived from the receipts before
// it; null, label `none`, while no known canonical block contains the transaction.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { toHex } from '../../../base/hex.ts'
import { findLocated } from '../../../chain/located.ts'
import type { FindSender } from '../../../chain/sender-cache.ts'
import { receiptReply } from '../../replies/block-receipts.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments, parseHash, required } from '../../params/arguments.ts'

export function createEthGetTransactionReceipt(findSender: FindSender): RpcMethod<Uint8Array> {
  return {
    name: 'eth_getTransactionReceipt',
    summary: 'What became of a transaction.',
    params: [requiredParam('transactionHash', wire.transactionHash)],
    result: wire.orNull(wire.receipt),
    units: 80,
    upstream: { serve: 'prove', class: 'read', data: 'block', shows: 'receipts', block: null },
    bundle: {
      block: () => null,
      params: (hash) => [toHex(hash)],
    },
    parse(params) {
      const [hash] = parseArguments(params, [required(parseHash)])
      return hash
    },
    async run(hash, call) {
      const { network, labels, signal } = call
      const located = await findLocated(network, hash, signal)
      if (located === null) {
        labels.level('none')
        return null
      }
      const { block, index } = located
      labels.block({ network: network.name, hash: block.hash, number: block.header.number })
      return await receiptReply(call, block, index, findSender)
    },
  }
}
