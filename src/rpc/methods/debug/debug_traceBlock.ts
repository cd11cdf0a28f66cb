// debug_traceBlock [rlp, config?]: traces each transaction of a block that the client sends as RLP, on the state of its parent,
// which must be a block of this chain. Label `trusted`.
// Tested by src/devchain/engine/trace.test.ts, test/api/traces-started.test.ts
import { Fault } from '../../../base/fault.ts'
import { type BlockParts, splitBlock } from '../../../codec/ethereum/block.ts'
import { decodeHeader } from '../../../codec/ethereum/header.ts'
import { Malformed } from '../../../codec/ethereum/rlp.ts'
import type { TracerChoice } from '../../../chain/computation.ts'
import { executorOf } from '../../../chain/network.ts'
import { optionalParam, requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcMethod } from '../../operation.ts'
import { optional, parseArguments, parseBytes, required } from '../../params/arguments.ts'
import { parseTraceConfig, structLogger } from '../../params/trace-config.ts'
import { runTrace } from '../../replies/trace-block.ts'

type Input = { readonly rlp: Uint8Array; readonly tracer: TracerChoice }

export const debugTraceBlock: RpcMethod<Input> = {
  name: 'debug_traceBlock',
  summary: 'How a block would run that is given as RLP.',
  params: [requiredParam('block', wire.bytes), optionalParam('config', wire.traceConfig)],
  result: wire.list(wire.object),
  units: 1000,
  upstream: { serve: 'relay', class: 'trace' },
  parse(params) {
    const [rlp, tracer] = parseArguments(params, [
      required(parseBytes),
      optional(parseTraceConfig, structLogger),
    ])
    return { rlp, tracer }
  },
  async run({ rlp, tracer }, call) {
    const executor = executorOf(call.network, 'debug_traceBlock')
    const target = { block: readBlock(rlp), index: null, tracer }
    call.labels.level('trusted')
    return await runTrace(executor, target, call)
  },
}

/** Throws `execution_failed` for an invalid block: as in geth, the params count as valid. */
function readBlock(rlp: Uint8Array): BlockParts {
  try {
    const parts = splitBlock(rlp)
    decodeHeader(parts.header)
    return parts
  } catch (cause) {
    if (!(cause instanceof Malformed)) throw cause
    const detail = `could not decode block: ${cause.message}`.slice(0, 256)
    throw new Fault('execution_failed', { detail, cause })
  }
}
