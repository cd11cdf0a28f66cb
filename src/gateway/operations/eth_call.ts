// eth_call [call, block?]: what the EVM returns on that block's state. Computed, not proved: `trusted`.
// Tested by src/gateway/operations/by-hash.test.ts
import { toHex } from '../../base/hex.ts'
import type { RpcOperation } from '../operation.ts'
import { type CallInput, parseCallInput, requestFor } from '../params/call-input.ts'

export const ethCall: RpcOperation<CallInput> = {
  name: 'eth_call',
  units: 80,
  parse: parseCallInput,
  async run(input, call) {
    const request = requestFor(input, call.network)
    const block = await call.resolve(input.block)
    call.labels.level('trusted')
    return toHex(await call.network.executor.call(request, block, call.signal))
  },
}
