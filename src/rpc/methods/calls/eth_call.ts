// eth_call [call, block?, state overrides?, block overrides?]: what the EVM returns on the state after that
// block. Label `trusted`; behind upstreams Cairn runs the call on proved state.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { callsOf } from '../../../chain/network.ts'
import { toHex } from '../../../base/hex.ts'
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

export const ethCall: RpcMethod<CallInput> = {
  name: 'eth_call',
  summary: 'What a call would answer.',
  params: [
    requiredParam('call', wire.callRequest),
    optionalParam('block', wire.block),
    optionalParam('stateOverrides', wire.stateOverrides),
    optionalParam('blockOverrides', wire.blockOverrides),
  ],
  result: wire.bytes,
  units: 80,
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
    const { calls, level } = callsOf(call.network, 'eth_call')
    call.labels.level(level)
    return toHex(await calls.call(requested, call.caller, call.signal))
  },
}
