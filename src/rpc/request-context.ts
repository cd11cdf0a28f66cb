// State of one JSON-RPC request: each tag or number is resolved to a block hash once, requireCanonical is checked on each
// call, and the labels record the weakest answer.
// Tested by src/server/create-pipeline.test.ts
import { Fault } from '../base/fault.ts'
import { findHeader } from '../chain/blocks.ts'
import { type Anchor, type BlockRef, weakerAnchor } from '../chain/head.ts'
import type { Network } from '../chain/network.ts'
import { type Read, SuspendedRead, beginRead, completeRead, fetched } from '../chain/read.ts'
import type { BlockParameter, Labels } from './operation.ts'
import { type Level, isWeaker } from '../chain/level.ts'
import type { AnswerLabels } from '../pipeline/request-recorder.ts'

/**
 * `pending` means the latest block, because a pending state has no proof. Throws `unknown_block`, `no_tag`, `not_canonical`, and
 * for a hash as `obtain`.
 */
export function* resolveBlock(network: Network, parameter: BlockParameter): Read<BlockRef> {
  if ('hash' in parameter) return yield* resolveHash(network, parameter)
  if ('number' in parameter) return yield* resolveNumber(network, parameter.number)
  switch (parameter.tag) {
    case 'latest':
    case 'pending':
      return network.head.latest()
    case 'earliest':
      return yield* resolveNumber(network, 0n)
    case 'safe':
      return network.head.safe() ?? noTag('safe block not found')
    case 'finalized':
      return network.head.finalized() ?? noTag('finalized block not found')
  }
}

function* resolveNumber({ head }: Network, number: bigint): Read<BlockRef> {
  const latest = head.latest()
  if (number === latest.number) return latest
  const block = yield* head.byNumber(number)
  if (block === null) throw new Fault('unknown_block', { detail: 'header not found' })
  return block
}

function* resolveHash(
  network: Network,
  { hash, requireCanonical }: { readonly hash: Uint8Array; readonly requireCanonical: boolean },
): Read<BlockRef> {
  const found = yield* findHeader(network, hash)
  if (found === null) throw new Fault('unknown_block', { detail: 'header for hash not found' })
  const { number } = found.header
  if (requireCanonical && !(yield* network.head.isCanonical(hash, number))) {
    throw new Fault('not_canonical')
  }
  return { network: network.name, hash, number }
}

function noTag(detail: string): never {
  throw new Fault('no_tag', { detail })
}

/** Throws as `resolveBlock`. */
export type ResolveBlock = (network: Network, block: BlockParameter) => Read<BlockRef>

/** Calls use `resolve` and report their labels; `headers` returns the labels of the whole request. */
export class RequestContext implements Labels {
  readonly #network: Network
  readonly #resolveBlock: ResolveBlock
  /** By tag (`pending` is `latest`) or number. A promise while a lookup is in progress; all calls that name the block share it. */
  readonly #blocks = new Map<bigint | string, BlockRef | Promise<BlockRef>>()
  #weakest: Level | null = null
  #anchor: Anchor | null = null
  #shown: BlockRef | null = null
  #latest: BlockRef | null = null

  constructor(network: Network, resolveBlock: ResolveBlock) {
    this.#network = network
    this.#resolveBlock = resolveBlock
  }

  level(level: Level): void {
    if (this.#weakest === null || isWeaker(level, this.#weakest)) this.#weakest = level
  }

  block(block: BlockRef): void {
    this.#shown = block
    const { anchor } = block
    if (anchor === undefined || anchor === this.#anchor) return
    this.#anchor = this.#anchor === null ? anchor : weakerAnchor(anchor, this.#anchor)
  }

  *resolve(parameter: BlockParameter): Read<BlockRef> {
    const block = yield* this.#find(parameter)
    this.block(block)
    return block
  }

  /** The block of a tag or number if no fetch is needed, else null. Never throws: `resolve` throws the reason. */
  peekBlock(parameter: BlockParameter): BlockRef | null {
    if ('hash' in parameter) return null
    try {
      const found = beginRead(this.#find(parameter))
      return found instanceof SuspendedRead ? null : found
    } catch {
      return null
    }
  }

  /** The weakest level so far; null: no call set one, as for a chain ID. */
  get weakest(): Level | null {
    return this.#weakest
  }

  /** All levels so far are `proof`. */
  get isProved(): boolean {
    return this.#weakest === 'proof'
  }

  /**
   * `answered`: at least one call has a result, or a failure that counts as one. A result without a level, such as a chain ID or a
   * filter ID, comes from Cairn itself. Other errors alone prove nothing.
   */
  headers(batch: boolean, units: number, answered: boolean): AnswerLabels {
    const block = batch ? this.#latest : this.#shown
    return {
      verified: answered ? (this.#weakest ?? 'trusted') : 'none',
      head: this.#anchor,
      block: block?.hash ?? null,
      blockNumber: block?.number ?? null,
      units,
    }
  }

  *#find(parameter: BlockParameter): Read<BlockRef> {
    // requireCanonical is checked on every use, so hashes are not cached.
    if ('hash' in parameter) return yield* this.#resolveBlock(this.#network, parameter)
    const key = 'number' in parameter ? parameter.number : parameter.tag
    const block = yield* this.#findOnce(key === 'pending' ? 'latest' : key, parameter)
    if (key === 'latest') this.#latest = block
    return block
  }

  *#findOnce(key: bigint | string, parameter: BlockParameter): Read<BlockRef> {
    const blocks = this.#blocks
    const found = blocks.get(key) ?? beginRead(this.#resolveBlock(this.#network, parameter))
    if (found instanceof Promise) return yield* fetched(() => found)
    if (!(found instanceof SuspendedRead)) {
      blocks.set(key, found)
      return found
    }
    return yield* fetched(async (signal) => {
      const lookup = blocks.get(key) ?? completeRead(found, signal)
      blocks.set(key, lookup)
      return await lookup
    })
  }
}
