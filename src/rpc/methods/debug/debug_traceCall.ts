// debug_traceCall [call, block, config?]: how a call would run on a block's state. Label `trusted`.
// Tested by test/api/traces-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import { askedCall, type CallInput } from '../../params/call-input.ts'
import { parseCallRequest } from '../../params/call-request.ts'
import { parseTraceCallConfig, plainTrace } from '../../params/trace-config.ts'
import type { TraceCallConfig } from '../../params/trace-config.ts'

export const debugTraceCall: RpcMethod<CallInput & Pick<TraceCallConfig, 'tracer'>> = {
  name: 'debug_traceCall',
  summary: 'How a call would run.',
  params: [
    requiredParam('call', wire.callRequest),
    requiredParam('block', wire.block),
    optionalParam('config', wire.traceConfig),
  ],
  result: wire.object,
  units: 1000,
  upstream: { serve: 'relay', class: 'trace', block: { at: 1, form: 'object' }, calls: 'first' },
  parse(params) {
    const [call, block, config] = parseArguments(params, [
      required(parseCallRequest),
      required(parseBlockParameter),
      optional(parseTraceCallConfig, plainTrace),
    ])
    return { ...call, block, ...config }
  },
  addresses: calledAddresses,
  async run(input, call) {
    const asked = { ...(await askedCall(input, call)), tracer: input.tracer }
    call.labels.level('trusted')
    return await executorOf(call.network, 'debug_traceCall').traceCall(
      asked,
      call.caller,
      call.signal,
    )
  },
}
