// debug_traceCall [call, block, config?]: traces a call on the state of a block. Label `trusted`; behind upstreams Cairn runs the
// call on proved state.
// Tested by test/api/traces-started.test.ts, test/calls/proved-traces.test.ts
import { Fault } from '../../../base/fault.ts'
import { traceParams } from '../../../chain/call-json.ts'
import { callsOf } from '../../../chain/network.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, refuseArgument, required } from '../../params/arguments.ts'
import { parseBlockParameter } from '../../params/block-parameter.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import { resolveCall, type CallInput } from '../../params/call-input.ts'
import { parseCallRequest } from '../../params/call-request.ts'
import { parseTraceCallConfig, plainTrace } from '../../params/trace-config.ts'
import type { TraceCallConfig } from '../../params/trace-config.ts'

/** Position of the config among the params. */
const configAt = 2

export const debugTraceCall: RpcMethod<CallInput & TraceCallConfig> = {
  name: 'debug_traceCall',
  summary: 'How a call would run.',
  params: [
    requiredParam('call', wire.callRequest),
    requiredParam('block', wire.block),
    optionalParam('config', wire.traceConfig),
  ],
  result: wire.object,
  units: 1000,
  upstream: {
    serve: 'prove',
    class: 'trace',
    data: 'call',
    block: { at: 1, form: 'object' },
    calls: 'first',
  },
  bundle: {
    block: ({ block }) => block,
    params: (input, blockHash) =>
      input.unsupported === null ? traceParams(input, blockHash, input.tracer) : null,
  },
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
    const { tracer, unsupported } = input
    if (unsupported !== null) throw refusalOf(unsupported, call.network.relay !== null)
    const requested = { ...(await resolveCall(input, call)), tracer }
    const { calls, level } = callsOf(call.network, 'debug_traceCall')
    call.labels.level(level)
    return await calls.traceCall(requested, call.caller, call.signal)
  },
}

/** With upstreams, the fault lets Cairn relay the call, because a node may support the tracer. */
function refusalOf(unsupported: string, hasUpstreams: boolean): Fault {
  return hasUpstreams
    ? new Fault('unprovable', { detail: unsupported })
    : refuseArgument(configAt, unsupported)
}
