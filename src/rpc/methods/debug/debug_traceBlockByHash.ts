// debug_traceBlockByHash [hash, config?]: traces each transaction of a block. Label `trusted`.
// Tested by test/api/traces-started.test.ts
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, parseHash, required } from '../../params/arguments.ts'
import { parseTraceConfig, structLogger } from '../../params/trace-config.ts'
import { traceBlock, type TraceBlockInput } from '../../replies/trace-block.ts'

export const debugTraceBlockByHash: RpcMethod<TraceBlockInput> = {
  name: 'debug_traceBlockByHash',
  summary: 'How a block ran.',
  params: [requiredParam('blockHash', wire.blockHash), optionalParam('config', wire.traceConfig)],
  result: wire.list(wire.object),
  units: 1000,
  upstream: { serve: 'relay', class: 'trace' },
  parse(params) {
    const [hash, tracer] = parseArguments(params, [
      required(parseHash),
      optional(parseTraceConfig, structLogger),
    ])
    return { block: { hash, requireCanonical: false }, tracer }
  },
  run: traceBlock,
}
