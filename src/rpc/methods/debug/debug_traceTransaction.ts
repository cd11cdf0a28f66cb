// debug_traceTransaction [hash, config?]: traces a transaction of the chain; runs its block again up to it. Label `trusted`.
// Tested by test/api/traces-started.test.ts
import { executorOf } from '../../../chain/network.ts'
import { Fault } from '../../../base/fault.ts'
import { findLocated } from '../../../chain/located.ts'
import type { TracerChoice } from '../../../chain/computation.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, parseHash, required } from '../../params/arguments.ts'
import { parseTraceConfig, structLogger } from '../../params/trace-config.ts'
import { completeRead } from '../../../chain/read.ts'

export const debugTraceTransaction: RpcMethod<{
  readonly hash: Uint8Array
  readonly tracer: TracerChoice
}> = {
  name: 'debug_traceTransaction',
  summary: 'How a transaction ran.',
  params: [
    requiredParam('transactionHash', wire.transactionHash),
    optionalParam('config', wire.traceConfig),
  ],
  result: wire.object,
  units: 1000,
  upstream: { serve: 'relay', class: 'trace' },
  parse(params) {
    const [hash, tracer] = parseArguments(params, [
      required(parseHash),
      optional(parseTraceConfig, structLogger),
    ])
    return { hash, tracer }
  },
  async run({ hash, tracer }, call) {
    const executor = executorOf(call.network, 'debug_traceTransaction')
    const located = await findLocated(call.network, hash, call.signal)
    if (located === null) throw notFound()
    const block = await completeRead(
      call.resolve({ hash: located.block.hash, requireCanonical: false }),
      call.signal,
    )
    call.labels.level('trusted')
    const target = { block, index: located.index, tracer }
    const [trace] = await executor.traceBlock(target, call.caller, call.signal)
    if (trace === undefined) throw notFound()
    return trace.result
  },
}

function notFound(): Fault {
  return new Fault('execution_failed', { detail: 'transaction not found' })
}
