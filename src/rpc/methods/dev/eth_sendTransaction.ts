// eth_sendTransaction [transaction]: sends a transaction without a signature of the client, from a development account, whose key
// is public, or from an impersonated one. Missing members are filled as by eth_fillTransaction. eth_sendUnsignedTransaction: from
// any account.
// Tested by test/api/dev-methods-started.test.ts
import { Fault } from '../../../base/fault.ts'
import { toHex } from '../../../base/hex.ts'
import { type CallRequest, noOverrides } from '../../../chain/computation.ts'
import { executorOf } from '../../../chain/network.ts'
import { completeRead } from '../../../chain/read.ts'
import { checkContents, withFees } from '../../fill-transaction.ts'
import { requiredParam } from '../../open-rpc/method-shape.ts'
import * as wire from '../../open-rpc/types.ts'
import type { RpcCall } from '../../operation.ts'
import { parseArguments, required } from '../../params/arguments.ts'
import { latestBlock } from '../../params/block-parameter.ts'
import { calledAddresses } from '../../params/called-addresses.ts'
import { requestFor } from '../../params/call-input.ts'
import { type CallArguments, parseCallRequest } from '../../params/call-request.ts'
import { devMethods } from './dev-method.ts'

type Input = CallArguments & {
  /** As the client sent it: the checks compare some members with each other. */
  readonly rawRequest: Readonly<Record<string, unknown>>
}

export const ethSendTransaction = devMethods<Input>({
  names: ['eth_sendTransaction', 'eth_sendUnsignedTransaction'],
  summary: 'Sends a transaction of a development account or an impersonated one.',
  params: [requiredParam('transaction', wire.callRequest)],
  result: wire.transactionHash,
  parse(params) {
    const [call] = parseArguments(params, [required(parseCallRequest)])
    return { ...call, rawRequest: params[0] as Input['rawRequest'] }
  },
  addresses: ({ request }) => calledAddresses({ request, overrides: noOverrides }),
  async run(input, sendOrder, call, name) {
    const anySender = name === 'eth_sendUnsignedTransaction'
    const requested = requestFor(input, call.network)
    const from = requested.from ?? executorOf(call.network, name).accounts[0]
    if (from === undefined) {
      const detail = 'the transaction has no from, and this chain has no development accounts'
      throw new Fault('execution_failed', { detail })
    }
    if (!anySender && !(await sendOrder({ kind: 'may-send', from }))) {
      const advice = 'sign in the client, or impersonate it first (hardhat_impersonateAccount)'
      throw new Fault('execution_failed', { detail: `unknown account ${toHex(from)}: ${advice}` })
    }
    const { blocks } = await sendOrder({ kind: 'state' })
    const filled = await withFees({ ...requested, from }, call)
    checkContents(filled, input.rawRequest)
    const capped = hasFee(requested) ? filled : withFeeCapFor(blocks.nextBaseFee, filled)
    const request = { ...withoutTypeOne(capped), from }
    const gas = request.gas ?? (await estimate(request, call, name))
    return toHex(await sendOrder({ kind: 'send', request: { ...request, gas }, anySender }))
  },
})

async function estimate(request: CallRequest, call: RpcCall, name: string): Promise<bigint> {
  const block = await completeRead(call.resolve(latestBlock), call.signal)
  const callToEstimate = { request, block, overrides: noOverrides }
  return await executorOf(call.network, name).estimateGas(callToEstimate, call.caller, call.signal)
}

function hasFee({ gasPrice, maxFeePerGas }: CallRequest): boolean {
  return (gasPrice ?? maxFeePerGas) !== undefined
}

/** Sets a fee cap for the base fee that an order has set for the next block, as `withFees` does for the latest block. */
function withFeeCapFor(nextBaseFee: bigint | null, request: CallRequest): CallRequest {
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = request
  const needed = maxPriorityFeePerGas + 2n * (nextBaseFee ?? 0n)
  if (maxFeePerGas === undefined || needed <= maxFeePerGas) return request
  return { ...request, maxFeePerGas: needed }
}

/** Turns a gas price with an access list into fee caps of the same cost, because type 0 has no access list. */
function withoutTypeOne(request: CallRequest): CallRequest {
  const { gasPrice, accessList = [], ...rest } = request
  if (gasPrice === undefined || accessList.length === 0) return request
  return { ...rest, accessList, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
}
