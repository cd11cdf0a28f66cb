// Checks and default fees of eth_fillTransaction before gas and nonce are known, in the order and with the messages of go-ethereum
// (internal/ethapi, setDefaults and setFeeDefaults). Sets both fee caps if the client sent none, or the missing one.
// Tested by test/api/fill-and-sync-started.test.ts
import type { CallRequest } from '../chain/computation.ts'
import { suggestTip } from '../chain/suggest-tip.ts'
import type { RpcCall } from './operation.ts'
import { latestBlock } from './params/block-parameter.ts'
import { resolveHeader } from './bundles/proved-block.ts'
import { completeRead } from '../chain/read.ts'
import { Fault } from '../base/fault.ts'
import { equalBytes, fromHex, toQuantity } from '../base/hex.ts'
import { blobBaseFee } from '../chain/fees.ts'

/**
 * Returns a request with a gas price unchanged. Otherwise sets the suggested tip, and as fee cap the tip plus twice the base fee of
 * the latest block. Before London, sets the tip as gas price. Throws as `suggestTip`.
 */
async function withDefaultFees(request: CallRequest, call: RpcCall): Promise<CallRequest> {
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

/** Maximum per transaction on mainnet since Osaka (EIP-7594). */
const blobsMax = 6

/** Throws `execution_failed` for fees that contradict each other, and throws as `suggestTip`. */
export async function withFees(request: CallRequest, call: RpcCall): Promise<CallRequest> {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (request.maxFeePerBlobGas === 0n) {
    throw refused('maxFeePerBlobGas, if specified, must be non-zero')
  }
  if (gasPrice !== undefined && request.authorizationList !== undefined) {
    throw refused('both gasPrice and authorizationList specified')
  }
  if (maxFeePerGas === 0n && maxPriorityFeePerGas !== undefined) {
    throw refused('maxFeePerGas must be non-zero')
  }
  const { header } = await completeRead(resolveHeader(call, latestBlock), call.signal)
  const isLondon = header.baseFeePerGas !== undefined
  if (gasPrice === 0n && isLondon) throw refused('gasPrice must be non-zero after london fork')
  if (!isLondon && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined) {
    throw refused('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active')
  }
  const filled = await withDefaultFees(await withBlobFee(request, call), call)
  const { maxFeePerGas: cap = 0n, maxPriorityFeePerGas: tip = 0n } = filled
  if (cap < tip) {
    throw refused(`maxFeePerGas (${toQuantity(cap)}) < maxPriorityFeePerGas (${toQuantity(tip)})`)
  }
  return filled
}

/** If the request has blobs and no price for them: sets twice the blob base fee of the latest block. */
async function withBlobFee(request: CallRequest, call: RpcCall): Promise<CallRequest> {
  if (request.blobVersionedHashes === undefined || request.maxFeePerBlobGas !== undefined) {
    return request
  }
  const { header } = await completeRead(resolveHeader(call, latestBlock), call.signal)
  const fraction = call.network.blobFeeFraction(header.timestamp)
  if (header.excessBlobGas === undefined || fraction === null) return request
  return { ...request, maxFeePerBlobGas: 2n * blobBaseFee(header.excessBlobGas, fraction) }
}

/** `rawRequest`: the request as the client sent it. Throws `execution_failed` if no valid transaction can have these members. */
export function checkContents(
  request: CallRequest,
  rawRequest: Readonly<Record<string, unknown>>,
): void {
  const { to, data = new Uint8Array(0), blobVersionedHashes, authorizationList } = request
  if (Array.isArray(rawRequest['blobs'])) {
    throw refused('"blobs" is not supported for this RPC method')
  }
  if (typeof rawRequest['data'] === 'string' && !equalBytes(fromHex(rawRequest['data']), data)) {
    throw refused(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  if (blobVersionedHashes?.length === 0) {
    throw refused('need at least 1 blob for a blob transaction')
  }
  const blobs = blobVersionedHashes?.length ?? 0
  if (blobs > blobsMax) {
    throw refused(`too many blobs in transaction (have=${blobs}, max=${blobsMax})`)
  }
  if (to !== undefined) return
  if (blobVersionedHashes !== undefined) throw refused('missing "to" in blob transaction')
  if (data.length === 0) throw refused('contract creation without any data provided')
  if ((authorizationList?.length ?? 0) > 0) {
    throw refused('authorizationList provided for contract creation, but "to" field is missing')
  }
}

function refused(detail: string): Fault {
  return new Fault('execution_failed', { detail })
}
