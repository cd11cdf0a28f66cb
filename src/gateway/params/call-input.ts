// `[call, block?, state overrides?, block overrides?]`, the arguments of eth_call and eth_estimateGas.
import { Fault } from '../../base/fault.ts'
import type { CallRequest, Network } from '../../ethereum/network.ts'
import type { BlockParameter } from '../operation.ts'
import { optional, parseArguments, required } from './arguments.ts'
import { latestBlock, parseBlockParameter } from './block-parameter.ts'
import { type CallArguments, parseCallRequest } from './call-request.ts'
import { refuseArgument } from './refuse.ts'

export type CallInput = CallArguments & { readonly block: BlockParameter }

/** Throws `bad_params`. Overrides that would change the answer are refused, never passed over. */
export function parseCallInput(params: readonly unknown[]): CallInput {
  const [call, block] = parseArguments(params, [
    required(parseCallRequest),
    optional(parseBlockParameter, latestBlock),
    optional(parseNoOverrides, null),
    optional(parseNoOverrides, null),
  ])
  return { ...call, block }
}

/** The request, once it fits the network. Throws `execution_failed` with geth's texts. */
export function requestFor({ request, chainId }: CallInput, network: Network): CallRequest {
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

function parseNoOverrides(value: unknown, position: number): null {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return null
  throw refuseArgument(position, 'state and block overrides are not supported')
}
