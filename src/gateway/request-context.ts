// What is fixed for one HTTP request of the JSON-RPC face: each tag or number becomes a hash once, and the
// labels remember the weakest answer given.
// Tested by src/gateway/create-pipeline.test.ts
import { type Anchor, type BlockRef, weakerAnchor } from '../ethereum/head.ts'
import { isWeaker, type Level } from '../ethereum/level.ts'
import type { Network } from '../ethereum/network.ts'
import type { RpcLabels } from './pipeline.ts'
import type { BlockParameter, Labels } from './operation.ts'

/**
 * At once for a tag or a number, without a look at the request's signal, which costs to make; a hash may have to
 * be looked for. Throws as `resolveBlock` says.
 */
export type ResolveBlock = (
  network: Network,
  block: BlockParameter,
  request: { readonly signal: AbortSignal },
) => BlockRef | Promise<BlockRef>

/** The memory of one request: `resolve` for its calls, itself the labels of each, `headers` at the end. */
export class RequestContext implements Labels {
  readonly #network: Network
  readonly #resolveBlock: ResolveBlock
  readonly #request: { readonly signal: AbortSignal }
  /** What `latest` and `pending` mean in this request. */
  #newest: BlockRef | Promise<BlockRef> | null = null
  #others: Map<string, BlockRef | Promise<BlockRef>> | null = null
  #weakest: Level | null = null
  #anchor: Anchor | null = null
  #shown: BlockRef | null = null
  #latest: BlockRef | null = null

  /** `request.signal` is asked for only when a hash has to be looked for. */
  constructor(
    network: Network,
    resolveBlock: ResolveBlock,
    request: { readonly signal: AbortSignal },
  ) {
    this.#network = network
    this.#resolveBlock = resolveBlock
    this.#request = request
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

  async resolve(parameter: BlockParameter): Promise<BlockRef> {
    const block = await this.#find(parameter)
    this.block(block)
    if ('tag' in parameter && parameter.tag === 'latest') this.#latest = block
    return block
  }

  /** The block of a tag or number when that needs no wait. The caller tells the labels. Throws as `resolve`. */
  resolveNow(parameter: BlockParameter): BlockRef | null {
    if ('hash' in parameter) return null
    const block = this.#find(parameter)
    if (block instanceof Promise) return null
    if ('tag' in parameter && parameter.tag === 'latest') this.#latest = block
    return block
  }

  /**
   * `answered`: some call has a result. A result without a label is Cairn's own, as a chain ID or the ID of a filter; errors
   * alone prove nothing.
   */
  headers(batch: boolean, units: number, answered: boolean): RpcLabels {
    const block = batch ? this.#latest : this.#shown
    return {
      verified: answered ? (this.#weakest ?? 'trusted') : 'none',
      head: this.#anchor,
      block: block?.hash ?? null,
      blockNumber: block?.number ?? null,
      units,
    }
  }

  #find(parameter: BlockParameter): BlockRef | Promise<BlockRef> {
    if ('hash' in parameter) {
      // requireCanonical is judged on every use, so a hash is never remembered.
      return this.#resolveBlock(this.#network, parameter, this.#request)
    }
    if ('tag' in parameter && (parameter.tag === 'latest' || parameter.tag === 'pending')) {
      this.#newest ??= this.#resolveBlock(this.#network, parameter, this.#request)
      return this.#newest
    }
    const key = 'number' in parameter ? `number:${parameter.number}` : parameter.tag
    this.#others ??= new Map()
    const known = this.#others.get(key)
    if (known !== undefined) return known
    const found = this.#resolveBlock(this.#network, parameter, this.#request)
    this.#others.set(key, found)
    return found
  }
}
