// The blob gas price in receipts. It follows from the proved header and the network's blob schedule, which no block commits to. If
// the schedule is unknown, the price comes from an upstream and the label is `block`.
// Tested by test/upstream/blob-price.test.ts
import { Fault } from '../../base/fault.ts'
import { toHex } from '../../base/hex.ts'
import { blobTransactionType, transactionHash } from '../../codec/ethereum/transaction.ts'
import type { ProvedHeader } from '../../chain/blocks.ts'
import type { BlobTerms } from '../../chain/receipt-object.ts'
import type { RpcCall } from '../operation.ts'

/** `raw`: an entry of a block's list. */
export function isBlobTransaction(raw: Uint8Array): boolean {
  return raw[0] === blobTransactionType
}

/**
 * `blob`: a blob transaction of `block`; undefined if the reply contains none. Label `proof`; `block` if the schedule is unknown,
 * also if no upstream reports a price.
 */
export async function obtainBlobTerms(
  call: RpcCall,
  block: ProvedHeader,
  blob: Uint8Array | undefined,
): Promise<BlobTerms> {
  const { excessBlobGas, timestamp } = block.header
  const fraction = call.network.blobFeeFraction(timestamp)
  // Without upstreams this verifies a proof bundle, with the schedule that the verifier supplies.
  if (blob === undefined || fraction !== null || call.network.relay === null) {
    call.labels.level('proof')
    return { excessBlobGas, fraction }
  }
  call.labels.level('block')
  const reportedPrice = await fetchPrice(call, block, blob)
  return { excessBlobGas, fraction, ...(reportedPrice !== null && { reportedPrice }) }
}

/** Null if no upstream reports a price for this block. Throws `signal.reason`. */
async function fetchPrice(
  { network, signal }: RpcCall,
  { hash }: ProvedHeader,
  blob: Uint8Array,
): Promise<string | null> {
  try {
    const params = [toHex(transactionHash(blob))]
    const { watch } = network.hint
    const request = { method: 'eth_getTransactionReceipt', params, class: 'read' } as const
    const relayed = await network.relay?.call({ ...request, ...(watch && { watch }) }, signal)
    return priceOf(relayed?.result, toHex(hash))
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof Fault) return null
    throw thrown
  }
}

const quantity = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/i

function priceOf(receipt: unknown, blockHash: string): string | null {
  if (typeof receipt !== 'object' || receipt === null) return null
  const { blobGasPrice, blockHash: of } = receipt as {
    readonly blobGasPrice?: unknown
    readonly blockHash?: unknown
  }
  if (typeof of !== 'string' || of.toLowerCase() !== blockHash) return null
  return typeof blobGasPrice === 'string' && quantity.test(blobGasPrice)
    ? blobGasPrice.toLowerCase()
    : null
}
