// The fees of a transaction that names none, or only one of its two (go-ethereum internal/ethapi, setFeeDefaults).
// Tested by src/devchain/vm/read-only-executions.test.ts, test/api/rpc-started.test.ts
import type { CallRequest } from '../chain/computation.ts'
import { suggestTip } from '../chain/suggest-tip.ts'
import type { RpcCall } from './operation.ts'
import { latestBlock } from './params/block-parameter.ts'
import { resolveHeader } from './bundles/proved-block.ts'
import { completeRead } from '../chain/read.ts'

/**
 * A request with a gas price stays as it is. Else: the suggested tip, and twice the base fee of the latest block
 * above it as the cap; before London the tip as the gas price. Throws as `suggestTip`.
 */
export async function withDefaultFees(request: CallRequest, call: RpcCall): Promise<CallRequest> {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  const isComplete = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined
  if (gasPrice !== undefined || isComplete) return request
  const latest = await completeRead(resolveHeader(call, latestBlock), call.signal)
  const tip = maxPriorityFeePerGas ?? (await suggestTip(call.network, latest, call.signal))
  const baseFee = latest.header.baseFeePerGas
  if (baseFee === undefined) return { ...request, gasPrice: tip }
  return {
    ...request,
    maxFeePerGas: maxFeePerGas ?? tip + 2n * baseFee,
    maxPriorityFeePerGas: tip,
  }
}
