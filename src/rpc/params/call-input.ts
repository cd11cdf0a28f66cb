// `[call, block?, state overrides?, block overrides?]`, the arguments of eth_call and similar methods.
// Tested by src/rpc/params/params.test.ts
import { Fault } from '../../base/fault.ts'
import { callParams } from '../../chain/call-json.ts'
import { type CallRequest, noOverrides, type Overrides } from '../../chain/computation.ts'
import type { RequestedCall } from '../../chain/evm-executor.ts'
import type { Network } from '../../chain/network.ts'
import type { BlockParameter, RpcCall } from '../operation.ts'
import { optional, parseArguments, required } from './arguments.ts'
import { latestBlock, parseBlockParameter } from './block-parameter.ts'
import { type CallArguments, parseCallRequest } from './call-request.ts'
import { parseBlockOverrides, parseStateOverrides } from './overrides.ts'
import { completeRead } from '../../chain/read.ts'

export type CallInput = CallArguments & {
  readonly block: BlockParameter
  readonly overrides: Overrides
}

/** Throws `bad_params`. */
export function parseCallInput(params: readonly unknown[]): CallInput {
  const [call, block, state, fields] = parseArguments(params, [
    required(parseCallRequest),
    optional(parseBlockParameter, latestBlock),
    optional(parseStateOverrides, noOverrides.state),
    optional(parseBlockOverrides, noOverrides.block),
  ])
  return { ...call, block, overrides: { state, block: fields } }
}

/** The same without block overrides: eth_createAccessList has none. Throws `bad_params`. */
export function parseAccessListInput(params: readonly unknown[]): CallInput {
  const [call, block, state] = parseArguments(params, [
    required(parseCallRequest),
    optional(parseBlockParameter, latestBlock),
    optional(parseStateOverrides, noOverrides.state),
  ])
  return { ...call, block, overrides: { state, block: {} } }
}

/** Resolves the call for the executor. Throws as `requestFor` and `resolve`. */
export async function resolveCall(input: CallInput, call: RpcCall): Promise<RequestedCall> {
  const request = requestFor(input, call.network)
  return {
    request,
    block: await completeRead(call.resolve(input.block), call.signal),
    overrides: input.overrides,
  }
}

/** The request, after checks against the network. Throws `execution_failed` with geth's texts. */
export function requestFor({ request, chainId }: CallArguments, network: Network): CallRequest {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
    const detail = 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'
    throw new Fault('execution_failed', { detail })
  }
  if (chainId !== null && chainId !== network.chainId) {
    const detail = `chainId does not match node's (have=${chainId}, want=${network.chainId})`
    throw new Fault('execution_failed', { detail })
  }
  return request
}

/** The input of a call in canonical form, as cache key. */
export function callKey({ request, overrides, chainId }: CallInput): string {
  return JSON.stringify([...callParams(request, null, overrides), String(chainId)])
}

/** The call as params that name the block by its hash, for proof bundles. */
export function bundledCall(
  { request, overrides }: CallInput,
  blockHash: string,
): readonly unknown[] {
  return callParams(request, blockHash, overrides)
}
