// Suggests a tip that recent blocks would have accepted, like go-ethereum's oracle: the 60th percentile of the lowest three tips
// of each of the last 20 blocks; a block without tips counts with a default. On a fork only its own blocks count, because those
// below may need an upstream.
// Tested by src/rpc/methods/blocks/by-hash.test.ts
import type { ProvedHeader } from './blocks.ts'
import type { Network } from './network.ts'
import { compareTips, readAncestors, readLowestTips, readOfEach } from './paid-tips.ts'

const blocksMax = 20
const tipsPerBlock = 3
const percentile = 60
/** Lower tips are ignored: such transactions were not included for their fees. */
const tipMin = 2n
const tipMax = 500_000_000_000n
/** Counted for a block without tips, as in go-ethereum: 0.001 gwei. */
const tipWithoutSamples = 1_000_000n

/** Wei per gas. Throws `pruned`, and what `obtain` throws. */
export async function suggestTip(
  network: Network,
  latest: ProvedHeader,
  signal: AbortSignal,
): Promise<bigint> {
  const { firstBlock = 0n } = network
  const available = latest.header.number - firstBlock + 1n
  const count = available < blocksMax ? Number(available) : blocksMax
  const blocks = await readAncestors(network, latest, count, signal)
  const lowest = await readOfEach(
    blocks.filter(({ header }) => header.number > 0n),
    (block) => readLowestTips(network, block, { count: tipsPerBlock, tipMin }, signal),
  )
  const tips = lowest.flatMap((each) => (each.length === 0 ? [tipWithoutSamples] : each))
  const sorted = tips.toSorted(compareTips)
  const tip = sorted[Math.floor(((sorted.length - 1) * percentile) / 100)] ?? tipWithoutSamples
  return tip < tipMax ? tip : tipMax
}
