// Canonical blocks older than those of the head follower: from the settings (genesis), from the state under the head (EIP-2935),
// otherwise by the votes of upstreams. Caches blocks that are final or too old for a reorg.
import { Fault, hasCode } from '../../../base/fault.ts'
import { equalBytes, toQuantity } from '../../../base/hex.ts'
import type { Anchor, BlockRef } from '../../head.ts'
import { fetchBlockName, type BlockName, type HeadSource } from './head-source.ts'

export type NumberedBlocksParts = {
  readonly network: string
  readonly sources: readonly HeadSource[]
  /** Upstreams that must agree if none is trusted; at most the number of upstreams. */
  readonly quorum: number
  readonly quorumRequired: boolean
  /** Hash of block 0, 32 bytes; null: requested like any other block. */
  readonly genesisHash: Uint8Array | null
  readonly finalized: () => BlockRef | null
  /** Maximum depth of a reorg: blocks at least this far below the head are cached until `forget`. */
  readonly windowBlocks: bigint
  /** From the state under `latest`; null if the state lacks it. */
  readonly history: (
    number: bigint,
    latest: BlockRef,
    signal: AbortSignal,
  ) => Promise<Uint8Array | null>
  /** The number in a block's header, proved by its hash. Throws what proving a header throws. */
  readonly numberOf: (hash: Uint8Array, signal: AbortSignal) => Promise<bigint>
}

/** Blocks in the cache, about 300 bytes each. */
const settledMax = 10_000

export type NumberedBlocks = {
  /**
   * The canonical block of a number at or below `latest`. Throws `pruned` if no queried upstream still has it, `no_upstream` if
   * none could be queried, `unverified` if too few agree.
   */
  get(number: bigint, latest: BlockRef, signal: AbortSignal): Promise<BlockRef>
  /** Drops the cache: after a deeper reorg, or a rollback of final blocks. */
  forget(): void
}

export function createNumberedBlocks(parts: NumberedBlocksParts): NumberedBlocks {
  const { network, genesisHash } = parts
  const settled = new Map<bigint, BlockRef>()
  /** Number of calls of `forget`. */
  let rollbacks = 0

  function remember(block: BlockRef, latest: BlockRef, rollbacksBefore: number): BlockRef {
    // It belongs to the branch that the chain left during the request.
    if (rollbacksBefore !== rollbacks) return block
    // A single vote, while other upstreams were unreachable, is not cached.
    if (block.anchor === 'single' && parts.sources.length > 1) return block
    const isFinal = block.number <= (parts.finalized()?.number ?? -1n)
    if (!isFinal && latest.number - block.number < parts.windowBlocks) return block
    const [oldest] = settled.size >= settledMax ? settled.keys() : []
    if (oldest !== undefined) settled.delete(oldest)
    settled.set(block.number, block)
    return block
  }

  async function fetchByVotes(number: bigint, signal: AbortSignal): Promise<BlockRef> {
    const sources = parts.sources.filter(({ usable }) => usable)
    const trusted = sources.filter((source) => source.trusted)
    const queried = trusted.length > 0 ? trusted : sources
    const answers = await Promise.allSettled(
      queried.map((source) => fetchBlockName(source, toQuantity(number), signal)),
    )
    signal.throwIfAborted()
    const votes = answers.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
    if (votes.length === 0) {
      throw new Fault('no_upstream', { detail: `no source reachable for ${network}` })
    }
    const named = votes.filter((it): it is BlockName => it !== null && it.number === number)
    if (named.length === 0) throw new Fault('pruned')
    const best = await mostNamed(named, number, signal)
    const { hash } = best.block
    return { network, hash, number, anchor: anchorOf(best.count, trusted.length > 0) }
  }

  /** The block with the most votes, of those whose header has that number. Throws `unverified` if there is none. */
  async function mostNamed(named: readonly BlockName[], number: bigint, signal: AbortSignal) {
    const counts = named
      .filter(({ hash }, index) => named.findIndex((it) => equalBytes(it.hash, hash)) === index)
      .map((block) => ({ block, count: named.filter((it) => isSame(it, block)).length }))
      .toSorted((one, other) => other.count - one.count)
    for (const one of counts) if (await hasNumber(one.block.hash, number, signal)) return one
    throw new Fault('unverified')
  }

  /** A block without an available header does not count, and does not hide the blocks of other votes. */
  async function hasNumber(
    hash: Uint8Array,
    number: bigint,
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      return (await parts.numberOf(hash, signal)) === number
    } catch (thrown) {
      if (hasCode(thrown, 'unknown_block') || hasCode(thrown, 'unverified')) return false
      throw thrown
    }
  }

  function anchorOf(count: number, isTrusted: boolean): Anchor {
    if (isTrusted) return 'trusted'
    const { length } = parts.sources
    if (count >= Math.min(parts.quorum, length)) {
      return length === 1 ? 'single' : `quorum:${count}/${length}`
    }
    if (!parts.quorumRequired) return 'single'
    const detail =
      `fewer than ${parts.quorum} sources agree on a block of ${network}: ` +
      'heads.require requires it; mark a source trusted: true or add more upstreams'
    throw new Fault('unverified', { detail })
  }

  async function get(number: bigint, latest: BlockRef, signal: AbortSignal): Promise<BlockRef> {
    const cached = settled.get(number)
    if (cached !== undefined) return cached
    const rollbacksBefore = rollbacks
    const under = (hash: Uint8Array): BlockRef => ({
      network,
      hash,
      number,
      ...(latest.anchor !== undefined && { anchor: latest.anchor }),
    })
    if (number === 0n && genesisHash !== null) return under(genesisHash)
    const proved = await parts.history(number, latest, signal)
    const found = proved === null ? await fetchByVotes(number, signal) : under(proved)
    return remember(found, latest, rollbacksBefore)
  }

  return {
    get,
    forget() {
      rollbacks += 1
      settled.clear()
    },
  }
}

function isSame(one: BlockName, other: BlockName): boolean {
  return equalBytes(one.hash, other.hash)
}
