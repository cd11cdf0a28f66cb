// eth_estimateGas [call, block?, state overrides?, block overrides?]: the smallest gas limit with which the call succeeds on that
// block. Label `trusted`; behind upstreams Cairn runs the call on proved state.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { callsOf } from '../../../chain/network.ts'
import { toQuantity } from '../../../base/hex.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import {
  resolveCall,
  bundledCall,
  callKey,
  type CallInput,
  parseCallInput,
} from '../../params/call-input.ts'

export const ethEstimateGas: RpcMethod<CallInput> = {
  name: 'eth_estimateGas',
  summary: 'The gas that a call needs.',
  params: [
    requiredParam('call', wire.callRequest),
    optionalParam('block', wire.block),
    optionalParam('stateOverrides', wire.stateOverrides),
    optionalParam('blockOverrides', wire.blockOverrides),
  ],
  result: wire.quantity,
  units: 300,
  upstream: {
    serve: 'prove',
    class: 'read',
    data: 'call',
    block: { at: 1, form: 'object' },
    calls: 'first',
  },
  cache: { block: ({ block }) => block, key: callKey },
  bundle: { block: ({ block }) => block, params: bundledCall },
  parse: parseCallInput,
  addresses: calledAddresses,
  async run(input, call) {
    const requested = await resolveCall(input, call)
    const { calls, level } = callsOf(call.network, 'eth_estimateGas')
    call.labels.level(level)
    return toQuantity(await calls.estimateGas(requested, call.caller, call.signal))
  },
}
