// Reads of a fork across both chains. Its own blocks come from the data folder, and so does the state that was read or written.
// Everything up to the forked block comes from the forked network, by hash. Numbers below the fork refer to ancestors of the
// forked block.
// Tested by test/fork/fork.test.ts
import { hasCode } from '../../base/fault.ts'
import { equalBytes } from '../../base/hex.ts'
import { findHeader } from '../../chain/blocks.ts'
import type { BlockRef, Head } from '../../chain/head.ts'
import type { Network } from '../../chain/network.ts'
import { completeRead, fetched, resolvedRead, type Read } from '../../chain/read.ts'
import type { FetchContext, Obtain } from '../../content/ref.ts'
import type { ChainHead } from '../chain-head.ts'
import type { ChainIndex } from '../chain-index.ts'
import type { ForkLoader } from './fork-loader.ts'
import type { ForkPoint } from './fork-point.ts'

export type ForkedReadParts = {
  /** The embedded chain. */
  readonly network: string
  readonly point: ForkPoint
  readonly loader: ForkLoader
  /** True if a transaction waits in the pool of this chain. */
  readonly isPending: (hash: Uint8Array, signal: AbortSignal) => Promise<boolean>
  /** The forked network; null: the settings no longer name it. */
  readonly source: () => Network | null
}

/** `obtainLocal`: reads of the chain's own blocks. Content of the forked network comes from its upstreams. */
export function obtainForked(
  parts: { readonly point: ForkPoint; readonly index: Pick<ChainIndex, 'has'> },
  obtain: Obtain,
  obtainLocal: Obtain,
): Obtain {
  const { point, index } = parts

  function contextOf(context: FetchContext): FetchContext {
    const { blockNumber } = context
    if (blockNumber === undefined || blockNumber <= point.number) {
      return { ...context, network: point.source }
    }
    // Nodes that a later state shares with the forked state are proved at the forked block.
    const { source: network, hash: blockHash, number, stateRoot } = point
    return { ...context, network, blockHash, blockNumber: number, stateRoot }
  }

  return (ref, context, signal) => {
    const { blockNumber = 0n } = context
    switch (ref.kind) {
      case 'trie-node':
      case 'code':
        return obtain(ref, contextOf(context), signal)
      case 'header':
        return index.has(ref.hash) && !equalBytes(ref.hash, point.hash)
          ? obtainLocal(ref, context, signal)
          : obtain(ref, contextOf(context), signal)
      case 'dag-block':
      case 'receipts':
      case 'transactions':
      case 'uncles':
      case 'withdrawals':
        return blockNumber > point.number
          ? obtainLocal(ref, context, signal)
          : obtain(ref, contextOf(context), signal)
    }
  }
}

/** The head of the fork: `local`, extended by the blocks of the forked network below. */
export function createForkedHead(parts: ForkedReadParts, local: ChainHead): Head {
  const { network, point, loader, source, isPending } = parts

  function* byNumber(number: bigint): Read<BlockRef | null> {
    if (number < 0n || number >= point.number) return yield* local.byNumber(number)
    return yield* fetched((signal) => ancestor(number, signal))
  }

  /** Follows parent links from the forked block; for distant blocks it resolves the number on the forked network. */
  async function ancestor(number: bigint, signal: AbortSignal): Promise<BlockRef | null> {
    try {
      const hash = await loader.load({ kind: 'hash', number })
      if (hash !== null) return { network, hash, number, anchor: 'embedded' }
    } catch (thrown) {
      if (!hasCode(thrown, 'unprovable')) throw thrown
    }
    const forked = source()
    if (forked === null) return null
    const ref = await completeRead(forked.head.byNumber(number), signal)
    return ref === null ? null : { ...ref, network }
  }

  async function* locateForked(hash: Uint8Array, signal: AbortSignal) {
    const forked = source()
    if (forked === null || (await isPending(hash, signal))) return
    let isLater = false
    try {
      for await (const hint of forked.head.locate(hash, signal)) {
        const block = await completeRead(findHeader(forked, hint.blockHash), signal)
        if (block !== null && block.header.number <= point.number) yield hint
        else isLater ||= block !== null
      }
    } catch (thrown) {
      // The forked network has it in a block that is not on this chain.
      if (!isLater || !hasCode(thrown, 'unverified')) throw thrown
    }
  }

  return {
    ...local,
    byNumber,
    *isCanonical(hash, number) {
      const ref = yield* byNumber(number)
      return yield* resolvedRead(ref !== null && equalBytes(ref.hash, hash))
    },
    locate(hash, signal) {
      const found = [
        ...(local.locate(hash, signal) as Iterable<{ blockHash: Uint8Array; index: number }>),
      ]
      return found.length > 0 ? found : locateForked(hash, signal)
    },
  }
}
