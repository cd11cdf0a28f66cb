// A network's upstream nodes as a Source: the calls that supply each ContentRef. Their results are only offered;
// content that no upstream has becomes the Fault with the reason.
import { type PeekNode, watchAll } from '../../../content/ref.ts'
import type { SourceRequest, Offer, Source } from '../../../content/source.ts'
import { queryPool, toFault, type ContentPool, type PoolQuery } from './query-pool.ts'
import { type RequestedBlockHash, createCallAt } from './block-parameter.ts'
import { fetchBody } from './fetch-body.ts'
import { fetchCode } from './fetch-code.ts'
import { fetchHeader } from './fetch-header.ts'
import { createFetchProof } from './fetch-proof.ts'
import { fetchReceipts } from './fetch-receipts.ts'
import type { RequestedList } from './offer-list.ts'
import { createRawCalls } from './raw-calls.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'

export type UpstreamSourceParts = {
  /** Name of the network and of the source. */
  readonly name: string
  readonly pool: ContentPool
  /** True: the reply of one untrusted upstream that a block does not exist is not sufficient. */
  readonly require: boolean
  /** Reads trie nodes in memory, which were verified before. */
  readonly peekNode: PeekNode
  /** Called for each header whose JSON lacked a field that it has (`header_fields_unknown`). */
  readonly onUnknownFields: (upstream: Upstream) => void
}

/** Each attempt has a separate offer, because two may run in parallel. */
type OfferedQuestion = Pick<PoolQuery, 'need' | 'number'> & {
  readonly attempt: (
    upstream: Upstream,
    offer: Offer,
    signal: AbortSignal,
  ) => ReturnType<PoolQuery['attempt']>
}

/**
 * `fetch` rejects with `unverified` if all replies were invalid or incomplete, `no_upstream` if an upstream could not
 * be queried, `unprovable` if the state is beyond the proof depth of all upstreams.
 */
export function createUpstreamSource(parts: UpstreamSourceParts): Source {
  const { name, pool, require, peekNode, onUnknownFields } = parts
  const callAt = createCallAt()
  const raw = createRawCalls()
  const fetchProof = createFetchProof({ network: name, pool, callAt, require, peekNode })

  /** Null: the fetch context lacks data for a request. */
  function questionOf({ ref, hint }: SourceRequest): OfferedQuestion | null {
    const number = hint.blockNumber ?? null
    if (ref.kind === 'header') {
      const { hash } = ref
      return {
        need: 'header',
        number,
        attempt: (upstream, offer, signal) =>
          fetchHeader({ raw, onUnknownFields }, upstream, { hash, offer }, signal),
      }
    }
    if (hint.blockHash === undefined) return null
    const block: RequestedBlockHash = { hash: hint.blockHash, number }
    if (ref.kind === 'code') {
      if (hint.address === undefined) return null
      const codeRequest = { hash: ref.hash, block, address: hint.address }
      return {
        need: 'code',
        number,
        attempt: (upstream, offer, signal) =>
          fetchCode(callAt, upstream, { ...codeRequest, offer }, signal),
      }
    }
    const kind = ref.kind
    if (kind === 'trie-node' || kind === 'dag-block') return null
    const list: Omit<RequestedList, 'offer'> = { ref: { kind, hash: ref.hash }, block }
    if (kind === 'receipts') {
      return {
        need: 'receipts',
        number,
        attempt: (upstream, offer, signal) =>
          fetchReceipts(raw, upstream, { ...list, offer }, signal),
      }
    }
    return {
      need: 'body',
      number,
      attempt: (upstream, offer, signal) =>
        fetchBody({ raw, pick }, upstream, { ...list, offer }, signal),
    }
  }

  /** Queries upstreams until the content is accepted; invalid parts of a reply may be found only afterwards. */
  async function run(
    request: SourceRequest,
    question: OfferedQuestion,
    offer: Offer,
    signal: AbortSignal,
  ) {
    const { need, number } = question
    let wasLie = false
    const attempt: PoolQuery['attempt'] = async (upstream, shared) => {
      // After an invalid reply another upstream is always queried, because only its reply shows which one is faulty.
      if (!wasLie && offer([]) === 'taken') return 'taken'
      const answered = watchAll(request.hints(), 'source', upstream.name)
      const traced: Offer = (items) => {
        if (items.length > 0) answered('answered')
        return offer(items)
      }
      try {
        const verdict = await question.attempt(upstream, traced, shared)
        wasLie ||= typeof verdict === 'object'
        answered(typeof verdict === 'object' ? 'lied' : verdict)
        return verdict
      } catch (thrown) {
        answered(thrown instanceof UpstreamError ? thrown.kind : 'failed')
        throw thrown
      }
    }
    const findings = await queryPool(pool, { need, number, attempt }, signal)
    toFault(pool, findings, {
      network: name,
      kind: request.ref.kind,
      need,
      blockHash: blockHashOf(request),
      number,
      require,
    })
  }

  async function fetchOther(
    request: SourceRequest,
    offer: Offer,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise: taken, resolve, reject } = Promise.withResolvers<void>()
    const watched: Offer = (items) => {
      const outcome = offer(items)
      if (outcome === 'taken') resolve()
      return outcome
    }
    const question = questionOf(request)
    if (question === null) return
    run(request, question, watched, signal).then(resolve, reject)
    await taken
  }

  return {
    name,
    fetch: (request, offer, signal) =>
      request.ref.kind === 'trie-node'
        ? fetchProof(request, offer, signal)
        : fetchOther(request, offer, signal),
  }
}

/** A random index below `count`. */
function pick(count: number): number {
  return Math.floor(Math.random() * count)
}

/** The block of the requested content: in the fetch context, or the hash itself. */
function blockHashOf({ ref, hint }: SourceRequest): Uint8Array {
  return ref.kind === 'header' ? ref.hash : (hint.blockHash ?? ref.hash)
}
