// eth_blobBaseFee []: the price of a unit of blob gas in the latest block (EIP-4844), from its proved header and the fork schedule.
// Tested by src/rpc/methods/rpc-compat.test.ts, src/rpc/methods/fees/fees.test.ts
import { Fault } from '../../../base/fault.ts'
import { toQuantity } from '../../../base/hex.ts'
import { feeRulesOf } from '../../../chain/network.ts'
import { blobBaseFee } from '../../../chain/fees.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { replyBytes } from '../../relay/reply-bytes.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'
import { completeRead } from '../../../chain/read.ts'

export const ethBlobBaseFee: RpcMethod<null> = {
  name: 'eth_blobBaseFee',
  summary: 'Blob base fee of the next block.',
  params: [],
  result: wire.quantity,
  units: 300,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'fees',
    block: null,
    replyBytesMax: replyBytes.number,
  },
  cache: { block: () => latestBlock, key: () => '' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  async run(_input, call) {
    const rulesAt = feeRulesOf(call.network)
    const { header } = await completeRead(resolveHeader(call, latestBlock), call.signal)
    const { blobs } = await rulesAt(header.timestamp)
    const { excessBlobGas } = header
    if (excessBlobGas !== undefined && blobs === null) {
      throw new Fault('unprovable', { detail: 'blob schedule is not known' })
    }
    call.labels.level('proof')
    if (excessBlobGas === undefined || blobs === null) return '0x0'
    return toQuantity(blobBaseFee(excessBlobGas, blobs.fraction))
  },
}
