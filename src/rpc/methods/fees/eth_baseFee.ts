// eth_baseFee []: the base fee of the block after the latest, computed from it (EIP-1559). Label `trusted`.
// Tested by src/rpc/methods/rpc-compat.test.ts
import { toQuantity } from '../../../base/hex.ts'
import { nextBaseFee } from '../../../chain/fees.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { parseArguments } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { resolveHeader } from '../../bundles/proved-block.ts'

export const ethBaseFee: RpcMethod<null> = {
  name: 'eth_baseFee',
  summary: 'Base fee of the next block.',
  params: [],
  result: wire.quantity,
  units: 80,
  upstream: { serve: 'relay', class: 'read' },
  parse(params) {
    parseArguments(params, [])
    return null
  },
  *read(_input, call) {
    const { header } = yield* resolveHeader(call, latestBlock)
    call.labels.level('trusted')
    const { baseFeePerGas, gasUsed, gasLimit } = header
    if (baseFeePerGas === undefined) return null
    return toQuantity(nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }))
  },
}
