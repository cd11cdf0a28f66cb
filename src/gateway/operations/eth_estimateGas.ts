// eth_estimateGas [call, block?]: the least gas with which the call succeeds there. Label `trusted`.
// Tested by src/gateway/operations/by-hash.test.ts
import { toQuantity } from '../../base/hex.ts'
import type { RpcOperation } from '../operation.ts'
import { type CallInput, parseCallInput, requestFor } from '../params/call-input.ts'

export const ethEstimateGas: RpcOperation<CallInput> = {
  name: 'eth_estimateGas',
  units: 300,
  parse: parseCallInput,
  async run(input, call) {
    const request = requestFor(input, call.network)
    const block = await call.resolve(input.block)
    call.labels.level('trusted')
    return toQuantity(await call.network.executor.estimateGas(request, block, call.signal))
  },
}
