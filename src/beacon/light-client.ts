// Schedules the requests of the light client, selects their endpoints, and applies the replies. Any endpoint may be faulty or
// unavailable: each reply is verified on its own, and an endpoint that sends invalid data is paused.
// Tested by src/beacon/light-client.test.ts
import type { Clock } from '../base/clock.ts'
import { equalBytes, toHex } from '../base/hex.ts'
import { setNewest } from '../base/lru-cache.ts'
import { type BeaconClient, BeaconTrouble } from './beacon-client.ts'
import { createEndpoints, type Endpoint } from './endpoints.ts'
import { type LightUpdate, parseBootstrap, parseUpdate, UnreadableData } from './light-data.ts'
import type { SavedStore } from './saved-store.ts'
import { type BeaconSpec, periodAt, signersNeeded, slotAt, timeOfSlot } from './spec.ts'
import { rootOfHeader } from './ssz.ts'
import {
  advanceStore,
  FinalityContradiction,
  InvalidData,
  type LightStore,
  type Outcome,
  type ProvedHead,
  type Signatures,
  startStore,
} from './store.ts'

/**
 * `stale`: no checkpoint, or one that is too old. `catching-up`: committees of past periods are missing. `behind`: no update for
 * 5 minutes. `short`: fewer than two thirds signed the newest header. `stopped`, until a restart: finality is contradicted.
 */
type LightState =
  | 'stale'
  | 'bootstrapping'
  | 'catching-up'
  | 'following'
  | 'behind'
  | 'short'
  | 'stopped'

export type LightStatus = {
  readonly state: LightState
  /** For operators: why there is no head; null while following. */
  readonly reason: string | null
  readonly latest: ProvedHead | null
  readonly finalized: ProvedHead | null
}

/** Invalid data, or two valid headers of one slot. `rule`: of `InvalidData`, `unreadable` or `equivocation`. */
export type Evidence = {
  readonly endpoint: string
  readonly request: string
  readonly rule: string
  readonly data: unknown
}

export type LightClientParts = {
  readonly spec: BeaconSpec
  /** Block root, 32 bytes; null: only a saved store can start it. */
  readonly checkpoint: Uint8Array | null
  readonly saved: SavedStore | null
  /** At least one. */
  readonly clients: readonly BeaconClient[]
  readonly signatures: Signatures
  readonly clock: Clock
  readonly onStatus: (status: LightStatus) => void
  /** The finalized header or a committee changed. */
  readonly onStore: (saved: SavedStore) => void
  readonly onEvidence: (evidence: Evidence) => void
}

export type LightClient = {
  readonly status: LightStatus
  /** Makes all due requests once. Never rejects. */
  poll(): Promise<void>
  stop(): Promise<void>
}

type Reply = {
  readonly endpoint: Endpoint
  readonly kind: 'optimistic_update' | 'finality_update'
  readonly data: unknown
  readonly update: LightUpdate
}

/** Weak subjectivity: at least 15.7 days from 8.4 million staked ETH on (consensus-specs, electra). */
const checkpointAgeMsMax = 14 * 86_400_000
/** Interval of requests for an update that should exist. */
const pollMs = 1000
/** Without a new header for this time, the client is behind. */
const behindMs = 300_000
/** Pause before the next request for a checkpoint or a past committee that no endpoint had. */
const againMs = 10_000
/** The same for the next committee, which is needed only hours later. */
const nextCommitteeMs = 60_000
/** Higher than the number of periods that the age limit allows. */
const updatesMax = 16
/** Maximum number of replies that are remembered, to skip repetitions. */
const seenMax = 64

export function startLightClient(parts: LightClientParts): LightClient {
  const { spec, clock, signatures } = parts
  const endpoints = createEndpoints(parts.clients, clock)
  const stopping = new AbortController()
  const { signal } = stopping
  const seen = new Map<string, true>()
  let checkpoint = parts.checkpoint
  let store: LightStore | null = null
  let status: LightStatus = { state: 'bootstrapping', reason: null, latest: null, finalized: null }
  let fatal: Pick<LightStatus, 'state' | 'reason'> | null = null
  /** Slot of the newest header with too few signatures. */
  let shortSlot = -1
  let finalityAt = -1
  let committeeAt = -nextCommitteeMs
  let running: Promise<void> | null = null
  let stopTimer = (): void => {}

  const slotNow = (): number => slotAt(spec, clock.now())
  const age = ({ slot }: ProvedHead): number => clock.now() - timeOfSlot(spec, slot)

  function restore(): void {
    const { saved } = parts
    if (saved === null || age(saved.store.finalized) > checkpointAgeMsMax) return
    // A different checkpoint in the settings is the operator's decision: start from it.
    if (checkpoint !== null && !equalBytes(checkpoint, saved.checkpoint)) return
    checkpoint = saved.checkpoint
    store = saved.store
  }

  async function bootstrap(): Promise<void> {
    if (checkpoint === null) {
      const reason = 'no checkpoint: set heads.checkpoint to a block root from a source you trust'
      fatal = { state: 'stale', reason }
      return
    }
    const root = checkpoint
    await endpoints.first(async (endpoint) => {
      const data = await request(endpoint, 'bootstrap', () =>
        endpoint.client.bootstrap(root, signal),
      )
      if (data === undefined) return false
      return verify(endpoint, 'bootstrap', data, () => {
        const started = startStore(spec, root, parseBootstrap(spec, data), signatures)
        if (age(started.finalized) <= checkpointAgeMsMax) applyStore(started)
        else fatal = { state: 'stale', reason: tooOld(age(started.finalized)) }
      })
    })
  }

  /** True if the committee of the current period is known. */
  function isCaughtUp({ finalized, next }: LightStore): boolean {
    const behind = periodAt(spec, slotNow()) - periodAt(spec, finalized.slot)
    return behind <= 0 || (behind === 1 && next !== null)
  }

  /** Follows the committees to the current period, one update each. */
  async function catchUp(from: LightStore): Promise<void> {
    const pause = isCaughtUp(from) ? nextCommitteeMs : againMs
    if (clock.monotonic() - committeeAt < pause) return
    committeeAt = clock.monotonic()
    const period = periodAt(spec, from.finalized.slot) + (from.next === null ? 0 : 1)
    const count = Math.min(periodAt(spec, slotNow()) - period + 1, updatesMax)
    await endpoints.first(async (endpoint) => {
      const list = await request(endpoint, 'updates', () =>
        endpoint.client.updates(period, count, signal),
      )
      for (const [at, data] of (list ?? []).entries()) {
        const isValid = verify(endpoint, 'updates', data, () => {
          const update = parseUpdate(spec, data)
          if (periodAt(spec, update.attested.beacon.slot) !== period + at) {
            throw new InvalidData('period')
          }
          advance(update)
        })
        if (!isValid) break
      }
      return store !== null && isCaughtUp(store) && store.next !== null
    })
    // After progress, the next request needs no pause.
    if (store !== from) committeeAt = -nextCommitteeMs
  }

  /** Finality moves once per epoch: it is requested only after the head moved. */
  async function follow(): Promise<void> {
    const kinds = ['optimistic_update', 'finality_update'] as const
    for (const kind of kinds) {
      if (store === null || (kind === 'finality_update' && finalityAt === store.optimistic.slot))
        return
      const replies = await Promise.all(
        endpoints.usable().map((endpoint) => fetchUpdate(endpoint, kind)),
      )
      for (const reply of sortReplies(replies.filter((one) => one !== null))) use(reply)
      if (kind === 'finality_update') finalityAt = store.optimistic.slot
    }
  }

  function use({ endpoint, kind, data, update }: Reply): void {
    if (store === null || fatal !== null || !isWithin(store, update) || isSeen(update)) return
    verify(endpoint, kind, data, () => {
      const outcome = advance(update)
      if (outcome === 'equivocation') {
        parts.onEvidence({ endpoint: endpoint.client.name, request: kind, rule: outcome, data })
      }
    })
  }

  /** Skips a repeated header with too few signatures or with a contradiction, because verifying it costs a signature check. */
  function isSeen({ attested, finalized, signature }: LightUpdate): boolean {
    const roots = [attested, finalized].map((header) => header && rootOfHeader(header.beacon))
    const key = [...roots, signature].map((part) => (part === null ? '' : toHex(part))).join()
    if (seen.has(key)) return true
    setNewest(seen, key, true, seenMax)
    return false
  }

  /** True if the store has the update's committee. An endpoint may lag, or be ahead of the store, without being faulty. */
  function isWithin({ finalized, next }: LightStore, { signatureSlot }: LightUpdate): boolean {
    const ahead = periodAt(spec, signatureSlot) - periodAt(spec, finalized.slot)
    return ahead === 0 || (ahead === 1 && next !== null)
  }

  async function fetchUpdate(endpoint: Endpoint, kind: Reply['kind']): Promise<Reply | null> {
    const { client } = endpoint
    const data = await request(endpoint, kind, () =>
      kind === 'optimistic_update'
        ? client.optimisticUpdate(signal)
        : client.finalityUpdate(signal),
    )
    if (data === undefined) return null
    let update: LightUpdate | null = null
    verify(endpoint, kind, data, () => void (update = parseUpdate(spec, data)))
    return update === null ? null : { endpoint, kind, data, update }
  }

  /** Undefined: no data; the endpoint is paused. */
  async function request<T>(
    endpoint: Endpoint,
    name: string,
    get: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const data = await get()
      if (data === undefined || data === null) throw new BeaconTrouble(`a ${name} without data`)
      endpoint.succeeded()
      return data
    } catch (thrown) {
      if (!signal.aborted)
        endpoint.failed(thrown instanceof Error ? thrown.message : String(thrown))
      return undefined
    }
  }

  /** True if `run` accepted the data. */
  function verify(endpoint: Endpoint, name: string, data: unknown, run: () => void): boolean {
    try {
      run()
      return true
    } catch (thrown) {
      if (thrown instanceof FinalityContradiction) {
        const reason = `two thirds of the sync committee signed a finalized block that contradicts the stored one (from ${endpoint.client.name}): another network, or an attack`
        fatal = { state: 'stopped', reason }
      }
      const rule =
        thrown instanceof InvalidData
          ? thrown.rule
          : thrown instanceof UnreadableData
            ? 'unreadable'
            : thrown instanceof FinalityContradiction
              ? 'finality'
              : 'keys'
      endpoint.invalidReply(rule)
      parts.onEvidence({ endpoint: endpoint.client.name, request: name, rule, data })
      return false
    }
  }

  function advance(update: LightUpdate): Outcome | null {
    if (store === null) return null
    // A block is signed in the next slot at the earliest; allow clocks to differ by one slot.
    const result = advanceStore(spec, store, update, slotNow() + 1, signatures)
    if (result.outcome === 'short') shortSlot = Math.max(shortSlot, update.attested.beacon.slot)
    applyStore(result.store)
    return result.outcome
  }

  function applyStore(next: LightStore): void {
    const before = store
    store = next
    const isNew =
      before === null ||
      before.finalized !== next.finalized ||
      before.current !== next.current ||
      before.next !== next.next
    if (isNew && checkpoint !== null) parts.onStore({ checkpoint, store: next })
  }

  async function round(): Promise<void> {
    if (fatal !== null) return settle()
    if (store !== null && age(store.finalized) > checkpointAgeMsMax) {
      fatal = { state: 'stale', reason: tooOld(age(store.finalized)) }
      return settle()
    }
    if (store === null) await bootstrap()
    if (store !== null && (!isCaughtUp(store) || store.next === null)) await catchUp(store)
    if (store !== null && isCaughtUp(store)) await follow()
    settle()
  }

  function settle(): void {
    const next = {
      ...currentState(),
      latest: store?.optimistic ?? null,
      finalized: store?.finalized ?? null,
    }
    const isSame =
      next.state === status.state &&
      next.reason === status.reason &&
      next.latest === status.latest &&
      next.finalized === status.finalized
    status = next
    if (!isSame) parts.onStatus(status)
  }

  function currentState(): Pick<LightStatus, 'state' | 'reason'> {
    if (fatal !== null) return fatal
    const trouble = endpoints.trouble()
    const detail = trouble === null ? '' : ` (${trouble})`
    if (store === null)
      return { state: 'bootstrapping', reason: `no endpoint has the checkpoint${detail}` }
    if (!isCaughtUp(store)) {
      return { state: 'catching-up', reason: `committees of past periods are missing${detail}` }
    }
    if (shortSlot > store.optimistic.slot) {
      const needed = `${signersNeeded(spec)} of ${spec.committeeSize}`
      return { state: 'short', reason: `fewer than ${needed} members signed the newest header` }
    }
    if (age(store.optimistic) > behindMs) {
      return {
        state: 'behind',
        reason: `no signed header for ${toMinutes(age(store.optimistic))} minutes${detail}`,
      }
    }
    return { state: 'following', reason: null }
  }

  /** The header of a slot is available once the next slot's block, which contains its signatures, exists. */
  function pauseMs(): number {
    if (store === null || fatal !== null) return againMs
    const slot = slotNow()
    if (store.optimistic.slot < slot - 1) return pollMs
    return Math.max(pollMs, timeOfSlot(spec, slot + 1) - clock.now())
  }

  async function poll(): Promise<void> {
    running ??= round().finally(() => {
      running = null
    })
    await running
  }

  function schedule(): void {
    if (signal.aborted || fatal !== null) return
    stopTimer = clock.after(pauseMs(), () => void poll().then(schedule))
  }

  restore()
  void poll().then(schedule)
  return {
    get status() {
      return status
    },
    poll,
    async stop() {
      stopTimer()
      stopping.abort(new BeaconTrouble('stopping'))
      await running
      await Promise.all(parts.clients.map((client) => client.close()))
    },
  }
}

/** Newest first, then most signers first: repetitions of the first reply then cost no signature check. */
function sortReplies(replies: readonly Reply[]): readonly Reply[] {
  const signers = ({ update }: Reply): number => update.bits.filter(Boolean).length
  const slot = ({ update }: Reply): number => update.attested.beacon.slot
  return replies.toSorted((a, b) => slot(b) - slot(a) || signers(b) - signers(a))
}

function tooOld(ageMs: number): string {
  const days = Math.floor(ageMs / 86_400_000)
  return `the checkpoint is ${days} days old; take a newer block root from a source you trust, compare two, and set heads.checkpoint`
}

function toMinutes(ms: number): number {
  return Math.floor(ms / 60_000)
}
