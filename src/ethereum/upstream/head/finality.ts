// `safe` and `finalized` as upstreams name them: a trusted one's word, else what enough of them say alike, and never
// a block that the chain we are on contradicts.
// Tested by src/ethereum/upstream/head/head-follower.test.ts
import { equalBytes } from '../../../base/hex.ts'
import type { Anchor, BlockRef } from '../../head.ts'
import { askBlockName, type BlockName, type HeadSource } from './head-witness.ts'

export type FinalityTag = 'safe' | 'finalized'

export type Finality = {
  /** Asks one upstream for both. Never rejects: one that does not know a tag has no word on it. */
  ask(source: HeadSource, signal: AbortSignal): Promise<void>
  /** Takes what was said as far as it fits under `latest`. `contradicts`: is another block known at that number? */
  settle(latest: BlockRef, contradicts: (block: BlockName) => boolean): void
  /** Null while nobody, or too few, said. */
  find(tag: FinalityTag): BlockRef | null
}

const tags = ['safe', 'finalized'] as const

type Agreed = { readonly block: BlockName; readonly anchor: Anchor }

export function createFinality(parts: {
  readonly network: string
  /** How many must say the same where none is trusted, and of how many, reachable or not. */
  readonly quorum: number
  readonly upstreams: number
  /** That of a block's header, proved by its hash. Throws when nobody has it. */
  readonly numberOf: (hash: Uint8Array, signal: AbortSignal) => Promise<bigint>
}): Finality {
  const { network, quorum, upstreams } = parts
  const said = {
    safe: new Map<HeadSource, BlockName>(),
    finalized: new Map<HeadSource, BlockName>(),
  }
  const settled: Record<FinalityTag, BlockRef | null> = { safe: null, finalized: null }

  async function askTag(source: HeadSource, tag: FinalityTag, signal: AbortSignal): Promise<void> {
    try {
      const block = await askBlockName(source, tag, signal)
      if (block === null) {
        said[tag].delete(source)
        return
      }
      const { hash } = block
      said[tag].set(source, { hash, number: await parts.numberOf(hash, signal) })
    } catch {
      said[tag].delete(source)
    }
  }

  /** The highest that enough say, or null. */
  function agreed(tag: FinalityTag, fits: (block: BlockName) => boolean): Agreed | null {
    const usable = [...said[tag]].filter(([source]) => source.usable)
    const trusted = usable.filter(([source]) => source.trusted)
    const counted = (trusted.length > 0 ? trusted : usable).map(([, block]) => block)
    const needed = trusted.length > 0 ? 1 : quorum
    const votes = ({ hash }: BlockName) =>
      counted.filter((one) => equalBytes(one.hash, hash)).length
    const block = counted
      .filter((one) => votes(one) >= needed && fits(one))
      .reduce<BlockName | null>(
        (best, one) => (best === null || one.number > best.number ? one : best),
        null,
      )
    if (block === null) return null
    if (trusted.length > 0) return { block, anchor: 'trusted' }
    return { block, anchor: needed === 1 ? 'single' : `quorum:${votes(block)}/${upstreams}` }
  }

  return {
    async ask(source, signal) {
      await Promise.all(tags.map((tag) => askTag(source, tag, signal)))
    },
    settle(latest, contradicts) {
      for (const tag of tags) {
        const fits = (block: BlockName) => block.number <= latest.number && !contradicts(block)
        const found = agreed(tag, fits)
        if (found === null || found.block.number < (settled[tag]?.number ?? 0n)) continue
        settled[tag] = { network, ...found.block, anchor: found.anchor }
      }
    },
    find: (tag) => settled[tag],
  }
}
