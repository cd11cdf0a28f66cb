// One eth_getProof call and the reads that wait for it. Nodes are offered as received. After that the whole reply is checked, so
// that an invalid part next to the requested nodes is found without delaying the readers. A read ends when its content is accepted,
// when all calls that may supply it have ended, or when the reader leaves.
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
  readonly isWaiting: boolean
  /** True if all readers left before the content was accepted. */
  readonly hasLeft: boolean
  /**
   * Rejects with the fault of a call if none supplied it and one ended with a fault, or with the reader's abort reason.
   */
  readonly ended: Promise<void>
  offer(nodes: readonly Uint8Array[]): void
  /** Registers one more call that may supply the content. */
  callStarted(): void
  /** `fault` null: that call did not supply it and had no fault. */
  callEnded(fault: unknown): void
  leave(reason: unknown): void
}

export function createPendingRead(
  { ref, hints }: Pick<SourceRequest, 'ref' | 'hints'>,
  offer: Offer,
): PendingRead {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let state: 'waiting' | 'taken' | 'over' | 'left' = 'waiting'
  let calls = 0
  let firstFault: unknown = null
  return {
    ref,
    hints,
    get isWaiting() {
      return state === 'waiting'
    },
    get hasLeft() {
      return state === 'left'
    },
    ended: promise,
    offer(nodes) {
      if (state === 'left') return
      try {
        if (offer(nodes.map(asNode)) !== 'taken' || state !== 'waiting') return
        state = 'taken'
        resolve()
      } catch (thrown) {
        state = 'over'
        reject(thrown as Error)
      }
    },
    callStarted() {
      calls += 1
    },
    callEnded(fault) {
      calls -= 1
      firstFault ??= fault
      if (calls > 0 || state !== 'waiting') return
      state = 'over'
      if (firstFault === null) resolve()
      else reject(firstFault as Error)
    },
    leave(reason) {
      if (state === 'waiting') state = 'left'
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
  readonly wants: Set<PendingRead>
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
  const { target, slots, wants } = call
  const { block, address } = target
  let isOver = false

  async function attempt(
    upstream: Upstream,
    shared: AbortSignal,
  ): Promise<AttemptOutcome | 'short'> {
    if (isOver) return 'taken'
    const params = [toHex(address), slots.map(toHex)]
    const request = { method: 'eth_getProof', params, block }
    const reply = await watched(upstream, () => callAt(upstream, request, shared))
    const proof = readProofReply(reply.result, slots.length)
    call.isOpen = false
    offerTo([...wants], proof)
    // Readers continue before the rest of the reply is checked.
    await new Promise((resolve) => setImmediate(resolve))
    const judgement = verify(proof)
    isOver ||= judgement === 'complete' && ![...wants].some(({ isWaiting }) => isWaiting)
    // The next upstream's reply also serves reads that arrive now.
    call.isOpen = !isOver
    if (typeof judgement === 'string') return isOver ? 'taken' : 'short'
    // A request by number may return the proof of another block of that number.
    if (!reply.pinned) return 'failed'
    const { method } = request
    const evidence = { method, params: reply.params, response: reply.result, blockHash: block.hash }
    return { invalidReply: { ...evidence, ...judgement } }
  }

  /** Records the reply in the trace when it arrives, because the readers may leave before it is checked. */
  async function watched<Reply>(upstream: Upstream, ask: () => Promise<Reply>): Promise<Reply> {
    const hints: FetchContext[] = []
    for (const want of wants) hints.push(...want.hints())
    const answered = watchAll(hints, 'source', upstream.name)
    try {
      const reply = await ask()
      answered('answered')
      return reply
    } catch (thrown) {
      answered(thrown instanceof UpstreamError ? thrown.kind : 'failed')
      throw thrown
    }
  }

  function verify(proof: ProofReply): ProofCheck {
    const { stateRoot } = target
    if (stateRoot === null) return 'complete'
    return checkProof(proof, { stateRoot, address, slots }, { peekNode, accounts })
  }

  try {
    const question = { need: 'proof', number: block.number, attempt } as const
    const findings = await queryPool(pool, question, signal)
    const { hash: blockHash, number } = block
    toFault(pool, findings, {
      network,
      kind: 'trie-node',
      need: 'proof',
      blockHash,
      number,
      require,
    })
    for (const want of wants) want.callEnded(null)
  } catch (thrown) {
    for (const want of wants) want.callEnded(thrown)
  }
}

/**
 * Offers nodes to all waiting reads. Each node is hashed once by its reader, and once more here only for several
 * readers.
 */
function offerTo(wants: readonly PendingRead[], proof: ProofReply): void {
  const { nodes } = proof
  const waiting = wants.filter(({ isWaiting }) => isWaiting)
  // The nodes are offered even without waiting readers, because a traversal in progress needs them next.
  const first = waiting[0] ?? wants[0]
  const others = waiting.slice(1)
  if (first?.isWaiting === true && others.length === 0 && proof.storage.length <= 1) {
    // The missing node is at the end of the path: hashing the nodes before it would only delay the reader.
    for (let index = nodes.length - 1; first.isWaiting && index >= 0; index -= 1) {
      first.offer([nodes.at(index)])
    }
    return
  }
  const all = nodes.all()
  first?.offer(all)
  if (others.length === 0) return
  const bag = bagOf(all)
  for (const want of others) {
    const node = bag.nodes.get(toLatin1(want.ref.hash))
    if (node !== undefined) want.offer([node])
  }
}
