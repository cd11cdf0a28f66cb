// Fees of a run of blocks, computed from their proved headers and receipts by following parent hashes down
// from the newest (eth_feeHistory).
// Tested by src/rpc/methods/rpc-compat.test.ts
import { decodeEntries } from '../codec/ethereum/list.ts'
import { findBlobLimits } from './blob-limits.ts'
import { getHeader, type ProvedHeader, readReceiptList, readTransactionList } from './blocks.ts'
import { blobBaseFee, effectiveGasPrice, gasPerBlob, nextBaseFee } from './fees.ts'
import type { Network } from './network.ts'
import { placeReceipts } from './receipt-object.ts'
import { decodeReadable } from './transactions.ts'
import { completeRead } from './read.ts'

export const feeHistoryBlocksMax = 1024

type BlockFees = {
  readonly number: bigint
  /** 0 before London. */
  readonly baseFee: bigint
  readonly gasUsedRatio: number
  /** 0 before Cancun, null if the blob schedule is unknown. */
  readonly blobBaseFee: bigint | null
  readonly blobGasUsedRatio: number | null
  /** One effective tip for each requested percentile. */
  readonly rewards: readonly bigint[]
}

export type FeeHistory = {
  /** Oldest first. */
  readonly blocks: readonly BlockFees[]
  /** Of the block after the newest, computed from it. */
  readonly nextBaseFee: bigint
  readonly nextBlobBaseFee: bigint | null
}

/**
 * `count` blocks up to and including `newest`, fewer if the chain starts later, at most 1024.
 * `percentiles`: ascending, 0 to 100. Throws `pruned`, and what `obtain` throws.
 */
export async function readFeeHistory(
  network: Network,
  newest: ProvedHeader,
  { count, percentiles }: { readonly count: number; readonly percentiles: readonly number[] },
  signal: AbortSignal,
): Promise<FeeHistory> {
  const blocks: BlockFees[] = []
  let block = newest
  for (let left = Math.min(count, feeHistoryBlocksMax); left > 0; left -= 1) {
    const rewards =
      percentiles.length === 0 ? [] : await readRewards(network, block, percentiles, signal)
    blocks.push({ ...feesOf(network, block), rewards })
    if (block.header.number === 0n || left === 1) break
    block = await completeRead(getHeader(network, block.header.parentHash), signal)
  }
  const { baseFeePerGas, gasUsed, gasLimit } = newest.header
  return {
    blocks: blocks.toReversed(),
    nextBaseFee:
      baseFeePerGas === undefined ? 0n : nextBaseFee({ baseFeePerGas, gasUsed, gasLimit }),
    nextBlobBaseFee: nextBlobBaseFee(network, newest),
  }
}

function feesOf(network: Network, { header }: ProvedHeader): Omit<BlockFees, 'rewards'> {
  const { blobGasUsed, excessBlobGas } = header
  const fraction = network.blobFeeFraction(header.timestamp)
  const limits = fraction === null ? null : findBlobLimits(fraction)
  const beforeBlobs = blobGasUsed === undefined || excessBlobGas === undefined
  return {
    number: header.number,
    baseFee: header.baseFeePerGas ?? 0n,
    gasUsedRatio: Number(header.gasUsed) / Number(header.gasLimit),
    blobBaseFee: beforeBlobs ? 0n : fraction === null ? null : blobBaseFee(excessBlobGas, fraction),
    blobGasUsedRatio: beforeBlobs
      ? 0
      : limits === null
        ? null
        : Number(blobGasUsed) / Number(limits.max * gasPerBlob),
  }
}

/** EIP-4844 calc_excess_blob_gas, with EIP-7918's reserve price. */
function nextBlobBaseFee(network: Network, { header }: ProvedHeader): bigint | null {
  const { blobGasUsed, excessBlobGas, baseFeePerGas } = header
  if (blobGasUsed === undefined || excessBlobGas === undefined) return 0n
  const fraction = network.blobFeeFraction(header.timestamp)
  const limits = fraction === null ? null : findBlobLimits(fraction)
  if (fraction === null || limits === null) return null
  const total = excessBlobGas + blobGasUsed
  const target = limits.target * gasPerBlob
  if (total < target) return blobBaseFee(0n, fraction)
  const reserved =
    limits.reserve &&
    8192n * (baseFeePerGas ?? 0n) > gasPerBlob * blobBaseFee(excessBlobGas, fraction)
  const excess = reserved
    ? excessBlobGas + (blobGasUsed * (limits.max - limits.target)) / limits.max
    : total - target
  return blobBaseFee(excess, fraction)
}

/** The tips at the percentiles of the block's gas, as geth's oracle counts them. */
async function readRewards(
  network: Network,
  block: ProvedHeader,
  percentiles: readonly number[],
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const transactions = decodeEntries(
    await completeRead(readTransactionList(network, block), signal),
  )
  const receipts = placeReceipts(
    decodeEntries(await completeRead(readReceiptList(network, block), signal)),
  )
  const baseFee = block.header.baseFeePerGas ?? 0n
  const paid = transactions
    .map((raw, index) => ({
      tip: tipOf(effectiveGasPrice(decodeReadable(raw), baseFee), baseFee),
      gasUsed: receipts[index]?.gasUsed ?? 0n,
    }))
    .toSorted((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  let at = 0
  let gasSoFar = paid[0]?.gasUsed ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(block.header.gasUsed) * percentile) / 100))
    while (gasSoFar < threshold && at < paid.length - 1) {
      at += 1
      gasSoFar += paid[at]?.gasUsed ?? 0n
    }
    return paid[at]?.tip ?? 0n
  })
}

/** 0 for a recorded change of accounts, which pays nothing. Every other transaction pays the base fee. */
function tipOf(price: bigint, baseFee: bigint): bigint {
  return price > baseFee ? price - baseFee : 0n
}
