// The Head of an embedded chain: it never reorgs, so safe and finalized are the latest block.
import { equalBytes } from '../../base/hex.ts'
import type { BlockRef, Head, HeadChange } from '../head.ts'
import type { BlockPlace, ChainIndex } from './chain-index.ts'

export type ChainHead = Head & {
  /** Told of each block once it is durable. Blocks at or below the present head change nothing. */
  advance(block: BlockPlace): void
}

export function createChainHead(network: string, index: ChainIndex, start: BlockPlace): ChainHead {
  const refTo = ({ number, hash }: BlockPlace): BlockRef => ({
    network,
    hash,
    number,
    anchor: 'embedded',
  })
  let latest = refTo(start)
  const listeners = new Set<(change: HeadChange) => void>()

  function byNumber(number: bigint): BlockRef | null {
    if (number === latest.number) return latest
    if (number < 0n || number > latest.number) return null
    const hash = index.hashOf(number)
    return hash === null ? null : refTo({ number, hash })
  }

  /** Several when news of some was lost. */
  function blocksAfter(number: bigint): readonly BlockRef[] {
    const blocks: BlockRef[] = []
    for (let at = number + 1n; at <= latest.number; at += 1n) {
      const block = byNumber(at)
      if (block !== null) blocks.push(block)
    }
    return blocks
  }

  return {
    latest: () => latest,
    safe: () => latest,
    finalized: () => latest,
    byNumber,
    isCanonical(hash, number) {
      const block = byNumber(number)
      return block !== null && equalBytes(block.hash, hash)
    },
    locate(transactionHash) {
      const place = index.locate(transactionHash)
      return place === null ? [] : [place]
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    advance(block) {
      if (block.number <= latest.number) return
      const after = latest.number
      latest = refTo(block)
      const added = blocksAfter(after)
      for (const listener of listeners) listener({ removed: [], added })
    },
  }
}
