// Trie nodes by eth_getProof. Pending reads of one account of one block become one call: the reads of one request are
// sent together; while calls are in flight, so are all reads of one turn of the event loop. A read that arrives while a
// call is in flight joins it if it needs no other slot, otherwise it goes into the next call.
import { joinLatin1, toLatin1 } from '../../../base/hex.ts'
import type { FetchContext } from '../../../content/ref.ts'
import type { SourceRequest, Offer } from '../../../content/source.ts'
import { createAccountProofMemory } from './check-proof.ts'
import {
  type PendingRead,
  type ProofCall,
  type ProofCallParts,
  type ProofTarget,
  createPendingRead,
  runProofCall,
} from './proof-call.ts'

/** The maximum number of keys per call in go-ethereum. */
const slotsPerCallMax = 1024
/** Readers of one node whose accounts are requested in one turn; others request theirs when they have the node. */
const hintsMax = 64

/** Like `Source.fetch`, for trie nodes; ends immediately if no fetch context names a block and an address. */
export type FetchProof = (
  request: SourceRequest,
  offer: Offer,
  signal: AbortSignal,
) => Promise<void>

/** Slots by `toLatin1`. */
type NamedSlots = ReadonlyMap<string, Uint8Array>

/** The reads collected for the next turn, of one target. */
type ReadBatch = {
  readonly target: ProofTarget
  readonly slots: Map<string, Uint8Array>
  readonly reads: Set<PendingRead>
}

type CallInFlight = {
  readonly call: ProofCall
  readonly slots: NamedSlots
  readonly controller: AbortController
}

export function createFetchProof(options: Omit<ProofCallParts, 'accounts'>): FetchProof {
  const parts: ProofCallParts = { ...options, accounts: createAccountProofMemory() }
  const { network } = parts
  const callsInFlight = new Map<string, Set<CallInFlight>>()
  let newReads: { readonly request: SourceRequest; readonly read: PendingRead }[] = []

  /** Sends all pending reads, in as few calls as possible. */
  function flush(): void {
    const flushed = newReads
    newReads = []
    const batches = new Map<string, ReadBatch>()
    for (const { request, read } of flushed) {
      // Pending until all its calls have started.
      read.callStarted()
      // A reply of this turn may already contain it.
      read.offer([])
      if (!read.isPending) continue
      // Readers of another network may wait for the same node.
      const hints = request.hints().filter((hint) => (hint.network ?? network) === network)
      for (const hint of hints.slice(0, hintsMax)) addToBatch(batches, read, hint)
    }
    for (const [key, batch] of batches) {
      for (const slots of splitSlots(batch.slots)) start(key, batch, slots)
    }
    for (const { read } of flushed) read.callEnded(null)
  }

  /**
   * Also requests the account of another reader of the same node, although any proof contains that node: the reader needs the
   * account's own nodes next.
   */
  function addToBatch(
    batches: Map<string, ReadBatch>,
    read: PendingRead,
    hint: FetchContext,
  ): void {
    const target = targetOf(hint)
    if (target === null) return
    const key = joinLatin1(target.block.hash, target.address)
    const slots = (hint.slots ?? []).map((slot) => [toLatin1(slot), slot] as const)
    for (const { call, slots: requestedSlots } of callsInFlight.get(key) ?? []) {
      if (!call.isOpen || !slots.every(([name]) => requestedSlots.has(name))) continue
      if (!call.reads.has(read)) read.callStarted()
      call.reads.add(read)
      return
    }
    const batch = batches.get(key) ?? { target, slots: new Map(), reads: new Set() }
    batches.set(key, batch)
    for (const [name, slot] of slots) batch.slots.set(name, slot)
    batch.reads.add(read)
  }

  function start(key: string, { target, reads }: ReadBatch, slots: NamedSlots): void {
    // The read waits for all calls of the gathering, or for the node.
    const all = [...slots.values()]
    const call: ProofCall = { target, slots: all, reads: new Set(reads), isOpen: true }
    const inFlight: CallInFlight = { call, slots, controller: new AbortController() }
    const calls = callsInFlight.get(key) ?? new Set()
    callsInFlight.set(key, calls.add(inFlight))
    for (const read of call.reads) read.callStarted()
    void runProofCall(parts, call, inFlight.controller.signal).then(() => {
      calls.delete(inFlight)
      if (calls.size === 0) callsInFlight.delete(key)
    })
  }

  /** Aborts a call without waiting reads. */
  function abortUnused(read: PendingRead, reason: unknown): void {
    for (const calls of callsInFlight.values()) {
      for (const { call, controller } of calls) {
        const isUnused = [...call.reads].every(({ isAborted }) => isAborted)
        if (call.reads.has(read) && isUnused) controller.abort(reason)
      }
    }
  }

  return async (request, offer, signal) => {
    signal.throwIfAborted()
    if (newReads.length === 0) {
      // Without calls in flight, other clients are unlikely to send reads in this turn, and all reads of this request have arrived.
      if (callsInFlight.size === 0) process.nextTick(flush)
      else setImmediate(flush)
    }
    const read = createPendingRead(request, offer)
    newReads.push({ request, read })
    const abort = (): void => {
      read.abort(signal.reason)
      abortUnused(read, signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      await read.ended
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }
}

function targetOf({
  blockHash,
  blockNumber,
  stateRoot,
  address,
}: FetchContext): ProofTarget | null {
  if (blockHash === undefined || address === undefined) return null
  const block = { hash: blockHash, number: blockNumber ?? null }
  return { block, stateRoot: stateRoot ?? null, address }
}

/** At most 1024 slots per call. */
function splitSlots(slots: NamedSlots): readonly NamedSlots[] {
  if (slots.size <= slotsPerCallMax) return [slots]
  const all = [...slots]
  return Array.from({ length: Math.ceil(all.length / slotsPerCallMax) }, (_, index) => {
    const from = index * slotsPerCallMax
    return new Map(all.slice(from, from + slotsPerCallMax))
  })
}
