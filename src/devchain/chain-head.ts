// The Head of an embedded chain: `safe` and `finalized` are the latest block. Blocks are removed only by requests of
// development tools (evm_revert, hardhat_reset).
import { Fault } from '../base/fault.ts'
import { equalBytes } from '../base/hex.ts'
import type { BlockRef, Head, HeadUpdate } from '../chain/head.ts'
import type { BlockId, ChainIndex } from './chain-index.ts'
import { resolvedRead } from '../chain/read.ts'

export type ChainHead = Head & {
  /** Call for each block once it is durable. Blocks at or below the current head change nothing. */
  advance(block: BlockId): void
  /** Call after messages were lost: sets the head to `block`. */
  moveTo(block: BlockId): void
  /** Call after blocks left the chain, newest first. `block` is the new head. */
  rewind(block: BlockId, removed: readonly BlockId[]): void
}

/** `onFailure`: called with an error that a listener threw, or an error of reading the blocks between two heads. */
export function createChainHead(
  network: string,
  index: Pick<ChainIndex, 'head' | 'hashOf' | 'locate'>,
  start: BlockId,
  onFailure: (error: unknown) => void = () => {},
): ChainHead {
  const refTo = ({ number, hash }: BlockId): BlockRef => ({
    network,
    hash,
    number,
    anchor: 'embedded',
  })
  let latest = refTo(start)
  const listeners = new Set<(change: HeadUpdate) => void>()

  /** Throws `damaged` when the index lacks a block at or below the head. */
  function byNumber(number: bigint): BlockRef | null {
    if (number === latest.number) return latest
    if (number < 0n || number > latest.number) return null
    const hash = index.hashOf(number)
    if (hash === null) {
      // The chain thread has rewound the chain, and its message has not arrived yet.
      const stored = index.head()
      if (stored !== null && stored.number < number) return null
      throw new Fault('damaged', { detail: `the index of the chain lacks block ${number}` })
    }
    return refTo({ number, hash })
  }

  /** More than one block if messages were lost. */
  function blocksAfter(number: bigint): readonly BlockRef[] {
    const blocks: BlockRef[] = []
    try {
      for (let at = number + 1n; at < latest.number; at += 1n) {
        const hash = index.hashOf(at)
        if (hash !== null) blocks.push(refTo({ number: at, hash }))
      }
    } catch (error) {
      onFailure(error)
    }
    return [...blocks, latest]
  }

  function advance(block: BlockId): void {
    if (block.number <= latest.number) return
    const after = latest.number
    latest = refTo(block)
    notify({ removed: [], added: blocksAfter(after) })
  }

  function notify(change: HeadUpdate): void {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (error) {
        onFailure(error)
      }
    }
  }

  return {
    latest: () => latest,
    safe: () => latest,
    finalized: () => latest,
    byNumber: (number) => resolvedRead(byNumber(number)),
    isCanonical(hash, number) {
      const block = byNumber(number)
      return resolvedRead(block !== null && equalBytes(block.hash, hash))
    },
    locate(transactionHash) {
      const position = index.locate(transactionHash)
      return position === null ? [] : [position]
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    advance,
    moveTo(block) {
      const isAhead = block.number > latest.number
      const before = isAhead ? index.hashOf(latest.number) : block.hash
      if (before !== null && equalBytes(before, latest.hash)) return advance(block)
      latest = refTo(block)
      notify({ removed: [], added: [latest] })
    },
    rewind(block, removed) {
      latest = refTo(block)
      notify({ removed: removed.map(refTo), added: [] })
    },
  }
}
