// debug_traceBlockByHash [hash, config?]: how each transaction of a block ran. Label `trusted`.
// Tested by test/faces/traces-started.test.ts
import type { RpcOperation } from '../../operation.ts'
import { optional, parseArguments, required } from '../../params/arguments.ts'
import { parseHash } from '../../params/fixed-bytes.ts'
import { parseTraceConfig, structLogger } from '../../params/trace-config.ts'
import { traceBlock, type TraceBlockInput } from '../../replies/trace-block.ts'

export const debugTraceBlockByHash: RpcOperation<TraceBlockInput> = {
  name: 'debug_traceBlockByHash',
  units: 1000,
  parse(params) {
    const [hash, tracer] = parseArguments(params, [
      required(parseHash),
      optional(parseTraceConfig, structLogger),
    ])
    return { block: { hash, requireCanonical: false }, tracer }
  },
  run: traceBlock,
}
