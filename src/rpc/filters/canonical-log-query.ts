// The canonical form of a log query, for proof bundles.
// Tested by src/rpc/bundles/proof-bundle.test.ts
import { toHex, toQuantity } from '../../base/hex.ts'
import type { LogFilter } from '../../chain/logs.ts'
import type { BlockParameter } from '../operation.ts'
import type { LogBlocks, LogQuery } from '../params/log-filter.ts'

/**
 * The block range in canonical form; `blockHash` and `number` are those of its newest block. Null if only a tag names the oldest
 * block.
 */
export function canonicalBlocks(
  blocks: LogBlocks,
  blockHash: string,
  number: bigint,
): Readonly<Record<string, string>> | null {
  if ('hash' in blocks) return { blockHash }
  const { from, to } = blocks
  if ('tag' in from && 'tag' in to && from.tag === to.tag) return { blockHash }
  const oldest =
    'number' in from ? from.number : 'tag' in from && from.tag === 'earliest' ? 0n : null
  if (oldest === null || oldest > number) return null
  return { fromBlock: toQuantity(oldest), toBlock: toQuantity(number) }
}

/** The whole query; tags stay tags. */
export function canonicalLogQuery({ blocks, filter }: LogQuery): Readonly<Record<string, unknown>> {
  const named =
    'hash' in blocks
      ? { blockHash: toHex(blocks.hash) }
      : { fromBlock: spellBlock(blocks.from), toBlock: spellBlock(blocks.to) }
  return { ...named, ...canonicalFilter(filter) }
}

function spellBlock(block: BlockParameter): string {
  if ('number' in block) return toQuantity(block.number)
  return 'tag' in block ? block.tag : toHex(block.hash)
}

/** The filter without its blocks, in canonical form: a single value becomes a list of one. */
export function canonicalFilter({
  addresses,
  topics,
}: LogFilter): Readonly<Record<string, unknown>> {
  return {
    address: addresses.map(toHex),
    topics: topics.map((choices) => choices?.map(toHex) ?? null),
  }
}
