// Fees of a run of blocks, computed from their proved headers and receipts by following parent hashes down
// from the newest (eth_feeHistory).
// Tested by src/rpc/methods/fees/fees.test.ts
import { Fault } from '../base/fault.ts'
import type { ProvedHeader } from './blocks.ts'
import type { BlobRules, FeeRules } from './fee-rules.ts'
import { blobBaseFee, gasPerBlob, nextBaseFee } from './fees.ts'
import { feeRulesOf, type Network } from './network.ts'
import { readAncestors, readOfEach, readPaidTips } from './paid-tips.ts'

export const feeHistoryBlocksMax = 1024
/** Behind upstreams each block costs requests: longer ranges of headers, or of blocks with their lists, are not proved. */
const upstreamBlocksMax = { headers: 128, lists: 32 }

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
  /** Base fee of the block after the newest, computed from it. */
  readonly nextBaseFee: bigint
  readonly nextBlobBaseFee: bigint | null
}

/**
 * `count` blocks up to and including `newest`, fewer if the chain starts later, at most 1024.
 * `percentiles`: ascending, 0 to 100. Throws `pruned`, `unprovable`, and what `obtain` throws.
 */
export async function readFeeHistory(
  network: Network,
  newest: ProvedHeader,
  { count, percentiles }: { readonly count: number; readonly percentiles: readonly number[] },
  signal: AbortSignal,
): Promise<FeeHistory> {
  const { headers, lists } = upstreamBlocksMax
  const most = percentiles.length === 0 ? headers : lists
  if (network.relay !== null && count > most) {
    throw new Fault('unprovable', { detail: `${count} blocks of fees are over the limit ${most}` })
  }
  const rulesAt = feeRulesOf(network)
  const next = await readNextBaseFee(network, newest)
  const blockCount = Math.min(count, feeHistoryBlocksMax)
  const newestFirst = await readAncestors(network, newest, blockCount, signal)
  const blocks = await readOfEach(newestFirst, async (block) => ({
    ...feesOf(await rulesAt(block.header.timestamp), block),
    rewards: percentiles.length === 0 ? [] : await readRewards(network, block, percentiles, signal),
  }))
  const { blobs } = await rulesAt(newest.header.timestamp)
  return {
    blocks: blocks.toReversed(),
    nextBaseFee: next,
    nextBlobBaseFee: nextBlobBaseFee(blobs, newest),
  }
}

/** Base fee of the next block (EIP-1559); 0 before London. Throws `unprovable` if the network's fee rules are unknown. */
export async function readNextBaseFee(
  network: Network,
  { header: { baseFeePerGas, gasUsed, gasLimit, timestamp } }: ProvedHeader,
): Promise<bigint> {
  await feeRulesOf(network)(timestamp)
  if (baseFeePerGas !== undefined) return nextBaseFee({ baseFeePerGas, gasUsed, gasLimit })
  // The next block may be the first one of London.
  if (network.relay !== null) throw new Fault('unprovable', { detail: 'a block before London' })
  return 0n
}

function feesOf({ blobs }: FeeRules, { header }: ProvedHeader): Omit<BlockFees, 'rewards'> {
  const { blobGasUsed, excessBlobGas } = header
  const beforeBlobs = blobGasUsed === undefined || excessBlobGas === undefined
  return {
    number: header.number,
    baseFee: header.baseFeePerGas ?? 0n,
    gasUsedRatio: Number(header.gasUsed) / Number(header.gasLimit),
    blobBaseFee: beforeBlobs
      ? 0n
      : blobs === null
        ? null
        : blobBaseFee(excessBlobGas, blobs.fraction),
    blobGasUsedRatio: beforeBlobs
      ? 0
      : blobs === null
        ? null
        : Number(blobGasUsed) / Number(blobs.max * gasPerBlob),
  }
}

/** EIP-4844 calc_excess_blob_gas, with EIP-7918's reserve price. */
function nextBlobBaseFee(blobs: BlobRules | null, { header }: ProvedHeader): bigint | null {
  const { blobGasUsed, excessBlobGas, baseFeePerGas } = header
  if (blobGasUsed === undefined || excessBlobGas === undefined) return 0n
  if (blobs === null) return null
  const { fraction } = blobs
  const total = excessBlobGas + blobGasUsed
  const target = blobs.target * gasPerBlob
  if (total < target) return blobBaseFee(0n, fraction)
  const reserved =
    blobs.reserve &&
    8192n * (baseFeePerGas ?? 0n) > gasPerBlob * blobBaseFee(excessBlobGas, fraction)
  const excess = reserved
    ? excessBlobGas + (blobGasUsed * (blobs.max - blobs.target)) / blobs.max
    : total - target
  return blobBaseFee(excess, fraction)
}

/** The tips at the percentiles of the block's gas, computed as geth's oracle does. */
async function readRewards(
  network: Network,
  block: ProvedHeader,
  percentiles: readonly number[],
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const paid = await readPaidTips(network, block, signal)
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
