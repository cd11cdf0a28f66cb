// debug_traceBlockByNumber [number or tag, config?]: traces each transaction of a block. Label `trusted`.
// Tested by test/api/traces-started.test.ts
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, required } from '../../params/arguments.ts'
import { parseBlockNumber } from '../../params/block-parameter.ts'
import { parseTraceConfig, structLogger } from '../../params/trace-config.ts'
import { traceBlock, type TraceBlockInput } from '../../replies/trace-block.ts'

export const debugTraceBlockByNumber: RpcMethod<TraceBlockInput> = {
  name: 'debug_traceBlockByNumber',
  summary: 'How a block ran.',
  params: [requiredParam('block', wire.blockNumber), optionalParam('config', wire.traceConfig)],
  result: wire.list(wire.object),
  units: 1000,
  upstream: { serve: 'relay', class: 'trace', block: { at: 0, form: 'number' } },
  parse(params) {
    const [block, tracer] = parseArguments(params, [
      required(parseBlockNumber),
      optional(parseTraceConfig, structLogger),
    ])
    return { block, tracer }
  },
  run: traceBlock,
}
