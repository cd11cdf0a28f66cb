// Timestamp, fees and other header fields of the next blocks of an embedded chain, as development tools have set them. Pure.
// Tested by src/devchain/block-plan.test.ts
import type { BlockPlan, MiningPlan } from '../chain/dev-chain.ts'

/** The latest time of a block, in seconds: client libraries read it into a number. */
export const timeMax = 2n ** 53n - 1n

export const noBlockPlan: BlockPlan = {
  offset: 0n,
  nextTimestamp: null,
  timestampInterval: null,
  nextBaseFee: null,
  nextPrevRandao: null,
  coinbase: null,
  gasLimit: null,
}

const noMiningPlan: MiningPlan = { auto: null, intervalMs: null }

/** Both survive a restart. */
export type ChainPlan = { readonly blocks: BlockPlan; readonly mining: MiningPlan }

export const noChainPlan: ChainPlan = { blocks: noBlockPlan, mining: noMiningPlan }

/** Plan of a fork that begins at a block with the time `head` (seconds): its clock continues from there. `now`: clock time. */
export function forkedPlan({
  head,
  now,
}: {
  readonly head: bigint
  readonly now: bigint
}): ChainPlan {
  return { ...noChainPlan, blocks: { ...noBlockPlan, offset: head - now } }
}

/** Timestamp (seconds) of the block after one with the time `parent`, always later than it. `now`: clock time. */
export function nextTimestamp(plan: BlockPlan, parent: bigint, now: bigint): bigint {
  const planned =
    plan.nextTimestamp ??
    (plan.timestampInterval === null ? now + plan.offset : parent + plan.timestampInterval)
  return planned > parent ? planned : parent + 1n
}

/** The plan after a block of `timestamp`, without the values for one block. The clock continues from a time that was set. */
export function planAfterBlock(plan: BlockPlan, timestamp: bigint, now: bigint): BlockPlan {
  const { nextTimestamp: set, nextBaseFee, nextPrevRandao } = plan
  if (set === null && nextBaseFee === null && nextPrevRandao === null) return plan
  return {
    ...plan,
    offset: set === null ? plan.offset : timestamp - now,
    nextTimestamp: null,
    nextBaseFee: null,
    nextPrevRandao: null,
  }
}
