// Trie nodes by eth_getProof. Reads that wait for one account of one block become one call: what one request waits for
// goes together, while calls are under way what comes in the same turn of the event loop does too; what comes while a
// call is under way joins it when it asks for no other slot, else goes in the next (verification 2.1).
import { joinLatin1, toLatin1 } from '../../../base/hex.ts'
import type { FetchContext } from '../../../content/ref.ts'
import type { Asked, Offer } from '../../../content/source.ts'
import { createAccountProofMemory } from './account-proof-memory.ts'
import {
  type ProofCall,
  type ProofCallParts,
  type ProofTarget,
  runProofCall,
} from './proof-call.ts'
import { createPendingRead, type PendingRead } from './pending-read.ts'

/** As many keys as go-ethereum takes in one call. */
const slotsPerCallMax = 1024
/** Readers of one node whose accounts are asked for in one turn; others ask when they have it. */
const hintsMax = 64

/** As `Source.fetch`, of trie nodes; ends at once when no hint names a block and an address. */
export type FetchProof = (asked: Asked, offer: Offer, signal: AbortSignal) => Promise<void>

/** Slots by `toLatin1`. */
type NamedSlots = ReadonlyMap<string, Uint8Array>

/** What waits for the next turn, of one target. */
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
  let arrived: { readonly asked: Asked; readonly want: PendingRead }[] = []

  /** All that waits now, in as few calls as can be. */
  function depart(): void {
    const now = arrived
    arrived = []
    const gatherings = new Map<string, Gathering>()
    for (const { asked, want } of now) {
      // Held until all its calls have started.
      want.callStarted()
      // A reply that came in this turn may have brought it.
      want.offer([])
      if (!want.isWaiting) continue
      // Readers of another network may wait for the same node.
      const hints = asked.hints().filter((hint) => (hint.network ?? network) === network)
      for (const hint of hints.slice(0, hintsMax)) gather(gatherings, want, hint)
    }
    for (const [key, gathering] of gatherings) {
      for (const slots of shareOut(gathering.slots)) start(key, gathering, slots)
    }
    for (const { want } of now) want.callEnded(null)
  }

  /** Another reader's account is asked for too, though any proof would bring the node: it is needed next. */
  function gather(gatherings: Map<string, Gathering>, want: PendingRead, hint: FetchContext): void {
    const target = targetOf(hint)
    if (target === null) return
    const key = joinLatin1(target.block.hash, target.address)
    const slots = (hint.slots ?? []).map((slot) => [toLatin1(slot), slot] as const)
    for (const { call, slots: asked } of underway.get(key) ?? []) {
      if (!call.isOpen || !slots.every(([name]) => asked.has(name))) continue
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
    // Whoever waits, waits for all calls of the gathering, or for the node.
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

  /** A call that nobody waits for any longer is given up. */
  function abandon(want: PendingRead, reason: unknown): void {
    for (const calls of underway.values()) {
      for (const { call, controller } of calls) {
        const isLeft = [...call.wants].every(({ hasLeft }) => hasLeft)
        if (call.wants.has(want) && isLeft) controller.abort(reason)
      }
    }
  }

  return async (asked, offer, signal) => {
    signal.throwIfAborted()
    if (arrived.length === 0) {
      // With nothing under way nobody else is likely to come in this turn: what one request asks for has come by then.
      if (underway.size === 0) process.nextTick(depart)
      else setImmediate(depart)
    }
    const want = createPendingRead(asked, offer)
    arrived.push({ asked, want })
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

/** At most 1024 of them to each call. */
function shareOut(slots: NamedSlots): readonly NamedSlots[] {
  if (slots.size <= slotsPerCallMax) return [slots]
  const all = [...slots]
  return Array.from({ length: Math.ceil(all.length / slotsPerCallMax) }, (_, index) => {
    const from = index * slotsPerCallMax
    return new Map(all.slice(from, from + slotsPerCallMax))
  })
}
