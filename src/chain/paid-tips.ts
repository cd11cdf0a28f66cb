// Tips paid by the transactions of recent blocks, from their proved lists. Web pages request fees at each new block, so each block
// is decoded once for all of them.
// Tested by src/rpc/methods/fees/fees.test.ts
import { setImmediate } from 'node:timers/promises'
import { toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import { decodeEntries } from '../codec/ethereum/list.ts'
import { getHeader, type ProvedHeader, readReceiptList, readTransactionList } from './blocks.ts'
import { effectiveGasPrice } from './fees.ts'
import type { Network } from './network.ts'
import { completeRead } from './read.ts'
import { placeReceipts } from './receipt-object.ts'
import { decodeReadable } from './transactions.ts'

/** Wei per gas above the base fee, and the gas of the transaction. */
export type PaidTip = { readonly tip: bigint; readonly gasUsed: bigint }

/** Blocks whose lists are fetched in parallel. */
const aheadMax = 8
/** Transactions in memory, about 100 bytes each, of all networks. */
const transactionsMax = 100_000
/** Blocks in memory, of all networks. */
const blocksMax = 1_000

/** By block hash: the content of a block never changes. */
const paidTips = createLruCache<readonly PaidTip[]>({
  sizeMax: transactionsMax,
  sizeOf: (_hash, tips) => tips.length + 1,
})
const lowestTips = createLruCache<readonly bigint[]>({ sizeMax: blocksMax, sizeOf: () => 1 })

/** `newest` and its ancestors, newest first: `count` blocks, or fewer at the start of the chain. Throws as `getHeader`. */
export async function readAncestors(
  network: Network,
  newest: ProvedHeader,
  count: number,
  signal: AbortSignal,
): Promise<readonly ProvedHeader[]> {
  const blocks = [newest]
  for (let block = newest; blocks.length < count && block.header.number > 0n; blocks.push(block)) {
    block = await completeRead(getHeader(network, block.header.parentHash), signal)
  }
  return blocks
}

/** Runs `read` for each block, in order, a few blocks in parallel. Throws the errors of `read`. */
export async function readOfEach<Found>(
  blocks: readonly ProvedHeader[],
  read: (block: ProvedHeader) => Promise<Found>,
): Promise<readonly Found[]> {
  const found: Found[] = []
  for (let from = 0; from < blocks.length; from += aheadMax) {
    // Decoding stored lists is synchronous: yield to other requests first.
    if (from > 0) await setImmediate()
    found.push(...(await Promise.all(blocks.slice(from, from + aheadMax).map(read))))
  }
  return found
}

/**
 * Tips of all transactions of a block, lowest first; 0 for a recorded change of accounts. Throws `pruned`, and what `obtain`
 * throws.
 */
export async function readPaidTips(
  network: Network,
  block: ProvedHeader,
  signal: AbortSignal,
): Promise<readonly PaidTip[]> {
  const key = toLatin1(block.hash)
  const cached = paidTips.find(key)
  if (cached !== null) return cached
  const [transactions, entries] = await Promise.all([
    completeRead(readTransactionList(network, block), signal).then(decodeEntries),
    completeRead(readReceiptList(network, block), signal).then(decodeEntries),
  ])
  const receipts = placeReceipts(entries)
  const tips = transactions
    .map((raw, index) => ({
      tip: tipOf(raw, block),
      gasUsed: receipts[index]?.gasUsed ?? 0n,
    }))
    .toSorted((one, other) => compareTips(one.tip, other.tip))
  paidTips.add(key, tips)
  return tips
}

/** The lowest `count` tips of a block that are at least `tipMin`. Throws like `readPaidTips`, which needs receipts too. */
export async function readLowestTips(
  network: Network,
  block: ProvedHeader,
  { count, tipMin }: { readonly count: number; readonly tipMin: bigint },
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const key = `${toLatin1(block.hash)}${count} ${tipMin}`
  const cached = lowestTips.find(key)
  if (cached !== null) return cached
  const tips = decodeEntries(await completeRead(readTransactionList(network, block), signal))
    .map((raw) => tipOf(raw, block))
    .filter((tip) => tip >= tipMin)
    .toSorted(compareTips)
    .slice(0, count)
  lowestTips.add(key, tips)
  return tips
}

function tipOf(raw: Uint8Array, { header }: ProvedHeader): bigint {
  const baseFee = header.baseFeePerGas ?? 0n
  const price = effectiveGasPrice(decodeReadable(raw), baseFee)
  return price > baseFee ? price - baseFee : 0n
}

export function compareTips(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}
