// A tip that recent blocks would have accepted, after go-ethereum's oracle: the 60th percentile of the lowest
// three tips of each of the last 20 blocks, the minimum tip for a block without tips.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import { decodeEntries } from '../codec/ethereum/list.ts'
import { getHeader, type ProvedHeader, readTransactionList } from './blocks.ts'
import { effectiveGasPrice } from './fees.ts'
import type { Network } from './network.ts'
import { decodeReadable } from './transactions.ts'
import { completeRead } from './read.ts'

const blocksMax = 20
const tipsPerBlock = 3
const percentile = 60
/** Lower tips are ignored: such transactions were included for other reasons than fees. */
const tipMin = 2n
const tipMax = 500_000_000_000n
/** For a block without tips, as in go-ethereum: 0.001 gwei. */
const tipWithoutSamples = 1_000_000n

/** Wei per gas. Throws `pruned`, and what `obtain` throws. */
export async function suggestTip(
  network: Network,
  latest: ProvedHeader,
  signal: AbortSignal,
): Promise<bigint> {
  const tips: bigint[] = []
  let block = latest
  for (let left = blocksMax; left > 0; left -= 1) {
    if (block.header.number === 0n) break
    const lowest = await readLowestTips(network, block, signal)
    tips.push(...(lowest.length === 0 ? [tipWithoutSamples] : lowest))
    if (left === 1) break
    block = await completeRead(getHeader(network, block.header.parentHash), signal)
  }
  const sorted = tips.toSorted(compare)
  const tip = sorted[Math.floor(((sorted.length - 1) * percentile) / 100)] ?? tipWithoutSamples
  return tip < tipMax ? tip : tipMax
}

async function readLowestTips(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const baseFee = block.header.baseFeePerGas ?? 0n
  return decodeEntries(await completeRead(readTransactionList(network, block), signal))
    .map((raw) => effectiveGasPrice(decodeReadable(raw), baseFee) - baseFee)
    .filter((tip) => tip >= tipMin)
    .toSorted(compare)
    .slice(0, tipsPerBlock)
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
