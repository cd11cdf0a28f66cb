// One eth_getProof call and the reads that wait for it. Nodes are offered as received. After that the whole reply is checked, so
// that an invalid part next to the requested nodes is found without delaying the readers. A read ends when its content is accepted,
// when all calls that may supply it have ended, or when the reader aborts.
// Tested by src/chain/upstream/source/fetch-proof.test.ts
import {
  type ContentRef,
  type FetchContext,
  type PeekNode,
  watchAll,
} from '../../../content/ref.ts'
import type { SourceRequest, Offer } from '../../../content/source.ts'
import { toHex, toLatin1 } from '../../../base/hex.ts'
import { type ContentPool, queryPool, toFault } from './query-pool.ts'
import type { CallAt, RequestedBlockHash } from './block-parameter.ts'
import { type AccountProofMemory, type ProofCheck, checkProof } from './check-proof.ts'
import { type ProofReply, bagOf, readProofReply } from './proof-reply.ts'
import { UpstreamError } from '../node/upstream-error.ts'
import type { Upstream } from '../node/upstream.ts'
import type { AttemptOutcome } from '../pool/race-attempts.ts'

export type PendingRead = {
  readonly ref: ContentRef
  /** Fetch contexts of all waiting readers. */
  hints(): readonly FetchContext[]
  readonly isPending: boolean
  /** True if all readers aborted before the content was accepted. */
  readonly isAborted: boolean
  /**
   * Rejects with the fault of a call if none supplied it and one ended with a fault, or with the reader's abort reason.
   */
  readonly ended: Promise<void>
  offer(nodes: readonly Uint8Array[]): void
  /** Registers one more call that may supply the content. */
  callStarted(): void
  /** `fault` null: that call did not supply it and had no fault. */
  callEnded(fault: unknown): void
  abort(reason: unknown): void
}

export function createPendingRead(
  { ref, hints }: Pick<SourceRequest, 'ref' | 'hints'>,
  offer: Offer,
): PendingRead {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let state: 'pending' | 'accepted' | 'ended' | 'aborted' = 'pending'
  let calls = 0
  let firstFault: unknown = null
  return {
    ref,
    hints,
    get isPending() {
      return state === 'pending'
    },
    get isAborted() {
      return state === 'aborted'
    },
    ended: promise,
    offer(nodes) {
      if (state === 'aborted') return
      try {
        if (offer(nodes.map(asNode)) !== 'taken' || state !== 'pending') return
        state = 'accepted'
        resolve()
      } catch (thrown) {
        state = 'ended'
        reject(thrown as Error)
      }
    },
    callStarted() {
      calls += 1
    },
    callEnded(fault) {
      calls -= 1
      firstFault ??= fault
      if (calls > 0 || state !== 'pending') return
      state = 'ended'
      if (firstFault === null) resolve()
      else reject(firstFault as Error)
    },
    abort(reason) {
      if (state === 'pending') state = 'aborted'
      reject(reason as Error)
    },
  }
}

function asNode(bytes: Uint8Array) {
  return { kind: 'trie-node', bytes } as const
}

/** One account of one block. `stateRoot`: null if the fetch context lacks it. */
export type ProofTarget = {
  readonly block: RequestedBlockHash
  readonly stateRoot: Uint8Array | null
  readonly address: Uint8Array
}

export type ProofCall = {
  readonly target: ProofTarget
  readonly slots: readonly Uint8Array[]
  /** The reads it serves. Others may join while it is open. */
  readonly reads: Set<PendingRead>
  /** A reply is still expected. */
  isOpen: boolean
}

export type ProofCallParts = {
  /** The network of the block. */
  readonly network: string
  readonly pool: ContentPool
  readonly callAt: CallAt
  readonly require: boolean
  readonly peekNode: PeekNode
  readonly accounts: AccountProofMemory
}

/** Ends when all its reads have ended; never rejects. */
export async function runProofCall(
  { network, pool, callAt, require, peekNode, accounts }: ProofCallParts,
  call: ProofCall,
  signal: AbortSignal,
): Promise<void> {
  const { target, slots, reads } = call
  const { block, address } = target
  let isDone = false

  async function attempt(
    upstream: Upstream,
    shared: AbortSignal,
  ): Promise<AttemptOutcome | 'short'> {
    if (isDone) return 'taken'
    const params = [toHex(address), slots.map(toHex)]
    const request = { method: 'eth_getProof', params, block }
    const reply = await traced(upstream, () => callAt(upstream, request, shared))
    const proof = readProofReply(reply.result, slots.length)
    call.isOpen = false
    offerTo([...reads], proof)
    // Readers continue before the rest of the reply is checked.
    await new Promise((resolve) => setImmediate(resolve))
    const check = verify(proof)
    isDone ||= check === 'complete' && ![...reads].some(({ isPending }) => isPending)
    // The next upstream's reply also serves reads that arrive now.
    call.isOpen = !isDone
    if (typeof check === 'string') return isDone ? 'taken' : 'short'
    // A request by number may return the proof of another block of that number.
    if (!reply.pinned) return 'failed'
    const { method } = request
    const evidence = { method, params: reply.params, response: reply.result, blockHash: block.hash }
    return { invalidReply: { ...evidence, ...check } }
  }

  /** Records the reply in the trace when it arrives, because the readers may leave before it is checked. */
  async function traced<Reply>(upstream: Upstream, send: () => Promise<Reply>): Promise<Reply> {
    const hints: FetchContext[] = []
    for (const read of reads) hints.push(...read.hints())
    const recordOutcome = watchAll(hints, 'source', upstream.name)
    try {
      const reply = await send()
      recordOutcome('answered')
      return reply
    } catch (thrown) {
      recordOutcome(thrown instanceof UpstreamError ? thrown.kind : 'failed')
      throw thrown
    }
  }

  function verify(proof: ProofReply): ProofCheck {
    const { stateRoot } = target
    if (stateRoot === null) return 'complete'
    return checkProof(proof, { stateRoot, address, slots }, { peekNode, accounts })
  }

  try {
    const query = { need: 'proof', number: block.number, attempt } as const
    const results = await queryPool(pool, query, signal)
    const { hash: blockHash, number } = block
    toFault(pool, results, {
      network,
      kind: 'trie-node',
      need: 'proof',
      blockHash,
      number,
      require,
    })
    for (const read of reads) read.callEnded(null)
  } catch (thrown) {
    for (const read of reads) read.callEnded(thrown)
  }
}

/**
 * Offers nodes to all waiting reads. Each node is hashed once by its reader, and once more here only for several
 * readers.
 */
function offerTo(reads: readonly PendingRead[], proof: ProofReply): void {
  const { nodes } = proof
  const pending = reads.filter(({ isPending }) => isPending)
  // The nodes are offered even without waiting readers, because a traversal in progress needs them next.
  const first = pending[0] ?? reads[0]
  const otherReads = pending.slice(1)
  if (first?.isPending === true && otherReads.length === 0 && proof.storage.length <= 1) {
    // The missing node is at the end of the path: hashing the nodes before it would only delay the reader.
    for (let index = nodes.length - 1; first.isPending && index >= 0; index -= 1) {
      first.offer([nodes.at(index)])
    }
    return
  }
  const all = nodes.all()
  first?.offer(all)
  if (otherReads.length === 0) return
  const bag = bagOf(all)
  for (const read of otherReads) {
    const node = bag.nodes.get(toLatin1(read.ref.hash))
    if (node !== undefined) read.offer([node])
  }
}
