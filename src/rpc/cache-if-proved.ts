// The memory of proved answers around one operation: looked into before it runs, filled after it proved.
// Tested by src/server/create-pipeline.test.ts
import type { BlockRef } from '../chain/head.ts'
import { isWeaker, type Level } from '../chain/level.ts'
import type { Network } from '../chain/network.ts'
import type { Read } from '../chain/read.ts'
import type { RpcOutcome } from './rpc-pipeline.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { BlockParameter, CacheKey, Labels, ReadCall, RpcOperation } from './operation.ts'
import type { RequestContext } from './request-context.ts'

/** The kept answer and its labels, or null: then the operation must run. Never throws. */
export function findCached(
  answers: AnswerCache,
  network: Network,
  operation: RpcOperation<unknown> | null,
  input: unknown,
  visit: RequestContext,
): RpcOutcome | null {
  const kept = operation?.cache
  if (operation === null || kept === undefined) return null
  const parameter = cacheableBlock(kept, input)
  if (parameter === null) return null
  const resolved = visit.peekBlock(parameter)
  const hash = 'hash' in parameter ? parameter.hash : resolved?.hash
  if (hash === undefined) return null
  const where = { network: network.name, method: operation.name, blockHash: hash }
  const answer = answers.find(where, kept.key(input))
  if (answer === null) return null
  visit.level('proof')
  visit.block(resolved ?? { network: network.name, hash, number: answer.blockNumber })
  return { text: answer.text, bytes: answer.bytes }
}

/**
 * Null where an answer must be made anew: whether a block is canonical is judged on every call, and `pending`
 * is no block.
 */
function cacheableBlock(kept: CacheKey<unknown>, input: unknown): BlockParameter | null {
  const block = kept.block(input)
  if (block === null) return null
  if ('hash' in block) return block.requireCanonical ? null : block
  return 'tag' in block && block.tag === 'pending' ? null : block
}

/** Passes the labels of one call on and remembers what they said of it. */
export class ProofWatch implements Labels {
  readonly #labels: Labels
  #level: Level | null = null
  #block: BlockRef | null = null

  constructor(labels: Labels) {
    this.#labels = labels
  }

  level(level: Level): void {
    // Once said to be less than proved, it stays so.
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

/** The outcome of a call that ran; its text is kept when it was proved. */
export function cacheIfProved(
  answers: AnswerCache,
  network: Network,
  operation: RpcOperation<unknown>,
  input: unknown,
  result: unknown,
  watch: ProofWatch,
): RpcOutcome {
  const block = watch.provedBlock
  const kept = operation.cache
  if (block === null || kept === undefined || cacheableBlock(kept, input) === null)
    return { result }
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  const where = { network: network.name, method: operation.name, blockHash: block.hash }
  answers.add(where, kept.key(input), { text, bytes, blockNumber: block.number })
  return { text, bytes }
}
