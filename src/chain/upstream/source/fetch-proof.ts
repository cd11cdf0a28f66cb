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
type Gathering = {
  readonly target: ProofTarget
  readonly slots: Map<string, Uint8Array>
  readonly wants: Set<PendingRead>
}

type Underway = {
  readonly call: ProofCall
  readonly slots: NamedSlots
  readonly controller: AbortController
}

export function createFetchProof(given: Omit<ProofCallParts, 'accounts'>): FetchProof {
  const parts: ProofCallParts = { ...given, accounts: createAccountProofMemory() }
  const { network } = parts
  const underway = new Map<string, Set<Underway>>()
  let arrived: { readonly request: SourceRequest; readonly want: PendingRead }[] = []

  /** Sends all pending reads, in as few calls as possible. */
  function depart(): void {
    const now = arrived
    arrived = []
    const gatherings = new Map<string, Gathering>()
    for (const { request, want } of now) {
      // Pending until all its calls have started.
      want.callStarted()
      // A reply of this turn may already contain it.
      want.offer([])
      if (!want.isWaiting) continue
      // Readers of another network may wait for the same node.
      const hints = request.hints().filter((hint) => (hint.network ?? network) === network)
      for (const hint of hints.slice(0, hintsMax)) gather(gatherings, want, hint)
    }
    for (const [key, gathering] of gatherings) {
      for (const slots of shareOut(gathering.slots)) start(key, gathering, slots)
    }
    for (const { want } of now) want.callEnded(null)
  }

  /**
   * Also requests the account of another reader of the same node, although any proof contains that node: the reader needs the
   * account's own nodes next.
   */
  function gather(gatherings: Map<string, Gathering>, want: PendingRead, hint: FetchContext): void {
    const target = targetOf(hint)
    if (target === null) return
    const key = joinLatin1(target.block.hash, target.address)
    const slots = (hint.slots ?? []).map((slot) => [toLatin1(slot), slot] as const)
    for (const { call, slots: requestedSlots } of underway.get(key) ?? []) {
      if (!call.isOpen || !slots.every(([name]) => requestedSlots.has(name))) continue
      if (!call.wants.has(want)) want.callStarted()
      call.wants.add(want)
      return
    }
    const gathering = gatherings.get(key) ?? { target, slots: new Map(), wants: new Set() }
    gatherings.set(key, gathering)
    for (const [name, slot] of slots) gathering.slots.set(name, slot)
    gathering.wants.add(want)
  }

  function start(key: string, { target, wants }: Gathering, slots: NamedSlots): void {
    // The read waits for all calls of the gathering, or for the node.
    const all = [...slots.values()]
    const call: ProofCall = { target, slots: all, wants: new Set(wants), isOpen: true }
    const one: Underway = { call, slots, controller: new AbortController() }
    const calls = underway.get(key) ?? new Set()
    underway.set(key, calls.add(one))
    for (const want of call.wants) want.callStarted()
    void runProofCall(parts, call, one.controller.signal).then(() => {
      calls.delete(one)
      if (calls.size === 0) underway.delete(key)
    })
  }

  /** Aborts a call without waiting reads. */
  function abandon(want: PendingRead, reason: unknown): void {
    for (const calls of underway.values()) {
      for (const { call, controller } of calls) {
        const isLeft = [...call.wants].every(({ hasLeft }) => hasLeft)
        if (call.wants.has(want) && isLeft) controller.abort(reason)
      }
    }
  }

  return async (request, offer, signal) => {
    signal.throwIfAborted()
    if (arrived.length === 0) {
      // Without calls in flight, other clients are unlikely to send reads in this turn, and all reads of this request have arrived.
      if (underway.size === 0) process.nextTick(depart)
      else setImmediate(depart)
    }
    const want = createPendingRead(request, offer)
    arrived.push({ request, want })
    const leave = (): void => {
      want.leave(signal.reason)
      abandon(want, signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await want.ended
    } finally {
      signal.removeEventListener('abort', leave)
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
function shareOut(slots: NamedSlots): readonly NamedSlots[] {
  if (slots.size <= slotsPerCallMax) return [slots]
  const all = [...slots]
  return Array.from({ length: Math.ceil(all.length / slotsPerCallMax) }, (_, index) => {
    const from = index * slotsPerCallMax
    return new Map(all.slice(from, from + slotsPerCallMax))
  })
}
