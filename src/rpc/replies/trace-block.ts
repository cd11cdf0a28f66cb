// Traces a whole block.
// Tested by test/api/traces-started.test.ts
import { executorOf } from '../../chain/network.ts'
import { toHex } from '../../base/hex.ts'
import type { TracerChoice } from '../../chain/computation.ts'
import type { EvmExecutor } from '../../chain/evm-executor.ts'
import type { BlockParameter, RpcCall } from '../operation.ts'
import { completeRead } from '../../chain/read.ts'

export type TraceBlockInput = { readonly block: BlockParameter; readonly tracer: TracerChoice }

/** `[{ txHash, result }]`, in the order of the block. */
export async function traceBlock(
  { block, tracer }: TraceBlockInput,
  call: RpcCall,
): Promise<readonly unknown[]> {
  const target = {
    block: await completeRead(call.resolve(block), call.signal),
    index: null,
    tracer,
  }
  call.labels.level('trusted')
  return await runTrace(executorOf(call.network, 'debug_traceBlock'), target, call)
}

/** As `traceBlock`, for a block that the caller has resolved for the executor. */
export async function runTrace(
  executor: EvmExecutor,
  target: Parameters<EvmExecutor['traceBlock']>[0],
  { caller, signal }: RpcCall,
): Promise<readonly unknown[]> {
  const traces = await executor.traceBlock(target, caller, signal)
  return traces.map(({ hash, result }) => ({ txHash: toHex(hash), result }))
}
