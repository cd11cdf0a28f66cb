// The Head of an embedded chain: it never reorgs, so safe and finalized are the latest block.
import { equalBytes } from '../../base/hex.ts'
import type { BlockRef, Head } from '../head.ts'
import type { BlockPlace, ChainIndex } from './chain-index.ts'

export type ChainHead = Head & {
  /** Told of each block once it is durable. Blocks at or below the present head change nothing. */
  advance(block: BlockPlace): void
}

export function createChainHead(
  network: string,
  index: ChainIndex,
  start: BlockPlace,
  onBlock: (block: BlockRef) => void = () => {},
): ChainHead {
  const refTo = ({ number, hash }: BlockPlace): BlockRef => ({ network, hash, number })
  let latest = refTo(start)

  function byNumber(number: bigint): BlockRef | null {
    if (number === latest.number) return latest
    if (number < 0n || number > latest.number) return null
    const hash = index.hashOf(number)
    return hash === null ? null : refTo({ number, hash })
  }

  return {
    anchor: 'embedded',
    latest: () => latest,
    safe: () => latest,
    finalized: () => latest,
    byNumber,
    isCanonical(hash, number) {
      const block = byNumber(number)
      return block !== null && equalBytes(block.hash, hash)
    },
    locate: (transactionHash) => index.locate(transactionHash),
    advance(block) {
      if (block.number <= latest.number) return
      latest = refTo(block)
      onBlock(latest)
    },
  }
}
