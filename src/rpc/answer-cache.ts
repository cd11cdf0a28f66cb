// The cache of proved answers as JSON text, by block hash and input. It is read before an operation runs and written after
// the operation proved its answer.
// Tested by src/server/create-pipeline.test.ts
import { toLatin1 } from '../base/hex.ts'
import { createLruCache } from '../base/lru-cache.ts'
import type { BlockRef } from '../chain/head.ts'
import { type Level, isWeaker } from '../chain/level.ts'
import type { Network } from '../chain/network.ts'
import type { Read } from '../chain/read.ts'
import type { RpcOutcome } from './rpc-pipeline.ts'
import type { BlockParameter, CacheKey, Labels, ReadCall, RpcOperation } from './operation.ts'
import type { RequestContext } from './request-context.ts'

type CachedAnswer = {
  /** JSON text of the result. */
  readonly text: string
  /** Its length in UTF-8. */
  readonly bytes: number
  readonly blockNumber: bigint
}

export interface AnswerCache {
  /** `inputKey`: the text by which the operation identifies its input, without the block. */
  find(where: AnswerScope, inputKey: string): CachedAnswer | null
  add(where: AnswerScope, inputKey: string, answer: CachedAnswer): void
}

type AnswerScope = {
  readonly network: string
  readonly method: string
  readonly blockHash: Uint8Array
}

/** Estimated bytes of an entry besides its texts: two strings, an object, a slot of the map. */
const entryBytes = 250

/** Caches at most `bytesMax` of keys and texts. 0: caches nothing. */
export function createAnswerCache({ bytesMax }: { readonly bytesMax: number }): AnswerCache {
  const recent = createLruCache<CachedAnswer>({
    sizeMax: bytesMax,
    sizeOf: (key, { text }) => key.length + text.length + entryBytes,
  })
  // Consecutive calls mostly read the same block, the head.
  let lastHash: Uint8Array | null = null
  let lastText = ''

  function keyOf({ network, method, blockHash }: AnswerScope, inputKey: string): string {
    if (blockHash !== lastHash) {
      lastHash = blockHash
      lastText = toLatin1(blockHash)
    }
    // Names contain no line feed and the hash has a fixed length, so two places never have the same key.
    return `${network}\n${method}\n${lastText}${inputKey}`
  }

  return {
    find: (where, inputKey) => recent.find(keyOf(where, inputKey)),
    add: (where, inputKey, answer) => recent.add(keyOf(where, inputKey), answer),
  }
}

/** Finds the cached answer and sets its labels. Null: the operation must run. Never throws. */
export function findCached(
  answers: AnswerCache,
  network: Network,
  operation: RpcOperation<unknown> | null,
  input: unknown,
  context: RequestContext,
): RpcOutcome | null {
  const cache = operation?.cache
  if (operation === null || cache === undefined) return null
  const parameter = cacheableBlock(cache, input)
  if (parameter === null) return null
  const resolved = context.peekBlock(parameter)
  const hash = 'hash' in parameter ? parameter.hash : resolved?.hash
  if (hash === undefined) return null
  const where = { network: network.name, method: operation.name, blockHash: hash }
  const answer = answers.find(where, cache.key(input))
  if (answer === null) return null
  context.level('proof')
  context.block(resolved ?? { network: network.name, hash, number: answer.blockNumber })
  return { text: answer.text, bytes: answer.bytes }
}

/**
 * Null if the answer must not come from the cache: every call checks again whether a block is canonical, and `pending` is
 * not a block.
 */
function cacheableBlock(cache: CacheKey<unknown>, input: unknown): BlockParameter | null {
  const block = cache.block(input)
  if (block === null) return null
  if ('hash' in block) return block.requireCanonical ? null : block
  return 'tag' in block && block.tag === 'pending' ? null : block
}

/** Forwards the labels of one call and records them. */
export class ProofWatch implements Labels {
  readonly #labels: Labels
  #level: Level | null = null
  #block: BlockRef | null = null

  constructor(labels: Labels) {
    this.#labels = labels
  }

  level(level: Level): void {
    // A level below `proof` is final.
    if (this.#level === null || isWeaker(level, this.#level)) this.#level = level
    this.#labels.level(level)
  }

  block(block: BlockRef): void {
    this.#block = block
    this.#labels.block(block)
  }

  /** `call` with these labels, which also record the resolved block. */
  watched<Call extends ReadCall>(call: Call): Call {
    return { ...call, labels: this, resolve: (parameter) => this.#resolve(call, parameter) }
  }

  *#resolve(call: ReadCall, parameter: BlockParameter): Read<BlockRef> {
    this.#block = yield* call.resolve(parameter)
    return this.#block
  }

  /** Level and block recorded so far; null: none. */
  get recorded(): { readonly level: Level | null; readonly block: BlockRef | null } {
    return { level: this.#level, block: this.#block }
  }

  /** The block of an answer that is proved, else null. */
  get provedBlock(): BlockRef | null {
    return this.#level === 'proof' ? this.#block : null
  }
}

/** Converts the result of a call to its outcome, and caches a proved result. */
export function cacheIfProved(
  answers: AnswerCache,
  network: Network,
  operation: RpcOperation<unknown>,
  input: unknown,
  result: unknown,
  watch: ProofWatch,
): RpcOutcome {
  const block = watch.provedBlock
  const cache = operation.cache
  if (block === null || cache === undefined || cacheableBlock(cache, input) === null)
    return { result }
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  const where = { network: network.name, method: operation.name, blockHash: block.hash }
  answers.add(where, cache.key(input), { text, bytes, blockNumber: block.number })
  return { text, bytes }
}
