// One session: the wants for blocks of one root. A want is sent to one peer of the session, and to the next one if that peer does
// not have the block or takes 5 s; a few other peers are asked whether they have it. Peers come from routing, hints and the
// operator; wants are never broadcast.
// Tested by src/ipfs/network/child/bitswap-session.test.ts
import type { Clock } from '../../../base/clock.ts'
import type { FailReason } from '../net-frames.ts'
import { type BlockPeer, type Provider, providerName } from './block-peer.ts'

export type SessionLimits = {
  readonly peersMax: number
  /** Maximum number of providers that wait to be connected. */
  readonly candidatesMax: number
  readonly windowMin: number
  readonly windowMax: number
  /** Timeout of a want if the peer sends no bytes. */
  readonly peerWaitMs: number
  /** Timeout of a want if the peer sends only other blocks. */
  readonly peerWaitMsMax: number
  /** Number of timeouts after which a peer leaves the session. */
  readonly timeoutsMax: number
  /** Time after which the providers of the block itself are looked up. */
  readonly blockLookupMs: number
  /** Number of other peers that are asked whether they have the block. */
  readonly probesMax: number
}

export const sessionLimits: SessionLimits = {
  peersMax: 8,
  candidatesMax: 100,
  windowMin: 32,
  windowMax: 256,
  peerWaitMs: 5_000,
  peerWaitMsMax: 30_000,
  timeoutsMax: 3,
  blockLookupMs: 5_000,
  probesMax: 2,
}

/** A want of a session. */
export type Task = {
  readonly id: number
  readonly cid: Uint8Array
  /** Key of the multihash, by which blocks are matched. */
  readonly key: string
  readonly session: Session
  startedAt: number
  sentAt: number
  sentTo: BlockPeer | null
  readonly probed: Set<string>
  readonly have: Set<string>
  /** Peers that are not asked again for this block. */
  readonly tried: Set<string>
  timeouts: number
  blockLookup: 'none' | 'running' | 'done'
}

type Member = {
  readonly peer: BlockPeer
  outstanding: number
  timeouts: number
  lastBytesAt: number
}

export type SessionParts = {
  readonly clock: Clock
  readonly limits: SessionLimits
  /**
   * Calls `take` for each provider. `deep`: queries the DHT too, even if routers find providers. Resolves to whether all queried
   * routers answered; never rejects.
   */
  readonly lookUp: (
    cid: Uint8Array,
    deep: boolean,
    take: (provider: Provider) => void,
    signal: AbortSignal,
  ) => Promise<boolean>
  /** Null: the provider is not reachable, or excluded. Never rejects. */
  readonly connect: (provider: Provider) => Promise<BlockPeer | null>
  /** The want ended without its block. */
  readonly fail: (task: Task, reason: FailReason | 'none') => void
  /** Sends a cancel to the peer, unless another session needs the block. */
  readonly cancel: (task: Task, peer: BlockPeer) => void
}

export type Session = {
  /** Queues a want; it becomes active within the window. Calls `created` first: the want may end in this call. */
  add(id: number, cid: Uint8Array, key: string, created: (task: Task) => void): void
  /** The block has arrived. `from`: the peer that sent it. */
  settle(task: Task, from: string): void
  /** The server no longer needs the block. */
  drop(task: Task): void
  presence(task: Task, peer: string, have: boolean): void
  /** The peer is not connected any more. */
  lose(peer: string): void
  /** Checks time limits. */
  tick(): void
  /** Adds a provider from a hint or from the operator. */
  offer(provider: Provider): void
  close(): void
  readonly tasks: ReadonlySet<Task>
  readonly window: number
  readonly peers: readonly string[]
}

export function createSession(root: Uint8Array, parts: SessionParts): Session {
  const { clock, limits } = parts
  const over = new AbortController()
  const tasks = new Set<Task>()
  const queued: Task[] = []
  const active = new Set<Task>()
  const members = new Map<string, Member>()
  const seen = new Set<string>()
  const candidates: Provider[] = []
  let connecting = 0
  let rootLookup: 'none' | 'running' | 'done' = 'none'
  let allAnswered = true
  let window = limits.windowMin
  let arrived = 0

  function offer(provider: Provider): void {
    const name = providerName(provider)
    if (over.signal.aborted || seen.has(name) || candidates.length >= limits.candidatesMax) return
    if (seen.size >= limits.candidatesMax * 10) return
    seen.add(name)
    candidates.push(provider)
    fillMembers()
  }

  function fillMembers(): void {
    while (members.size + connecting < limits.peersMax) {
      const provider = candidates.shift()
      if (provider === undefined) return
      connecting += 1
      void join(provider)
    }
  }

  async function join(provider: Provider): Promise<void> {
    const peer = await parts.connect(provider)
    connecting -= 1
    if (over.signal.aborted) return
    if (peer !== null) {
      members.set(peer.name, { peer, outstanding: 0, timeouts: 0, lastBytesAt: clock.monotonic() })
    } else fillMembers()
    advanceIdle()
  }

  function advanceIdle(): void {
    for (const task of active) if (task.sentTo === null) advance(task)
  }

  async function lookUpRoot(): Promise<void> {
    rootLookup = 'running'
    allAnswered = (await parts.lookUp(root, false, offer, over.signal)) && allAnswered
    rootLookup = 'done'
    if (!over.signal.aborted) advanceIdle()
  }

  async function lookUpBlock(task: Task): Promise<void> {
    task.blockLookup = 'running'
    allAnswered = (await parts.lookUp(task.cid, true, offer, over.signal)) && allAnswered
    task.blockLookup = 'done'
    if (active.has(task) && task.sentTo === null) advance(task)
  }

  function activate(): void {
    while (active.size < window) {
      const task = queued.shift()
      if (task === undefined) return
      if (!tasks.has(task)) continue
      task.startedAt = clock.monotonic()
      active.add(task)
      if (rootLookup === 'none') void lookUpRoot()
      advance(task)
    }
  }

  /** Chooses the peer for the want: without timeouts, having the block, with the fewest wants. */
  function choose(task: Task): Member | null {
    const rank = ({ peer, timeouts, outstanding }: Member): number =>
      timeouts * 1e6 - Number(task.have.has(peer.name)) * 1e5 + outstanding
    let best: Member | null = null
    for (const member of members.values()) {
      if (task.tried.has(member.peer.name)) continue
      if (best === null || rank(member) < rank(best)) best = member
    }
    return best
  }

  function advance(task: Task): void {
    const member = choose(task)
    if (member === null) {
      conclude(task)
      return
    }
    task.sentTo = member.peer
    task.sentAt = clock.monotonic()
    member.outstanding += 1
    member.peer.want(task.cid, false)
    probe(task)
  }

  function probe(task: Task): void {
    let probes = 0
    for (const { peer } of members.values()) {
      if (probes >= limits.probesMax) return
      if (peer === task.sentTo || task.tried.has(peer.name)) continue
      probes += 1
      if (task.probed.has(peer.name)) continue
      task.probed.add(peer.name)
      peer.want(task.cid, true)
    }
  }

  /** No peer is left to ask: looks for more peers, waits for them, or ends the want. */
  function conclude(task: Task): void {
    if (candidates.length > 0) replaceIdle()
    if (connecting > 0 || candidates.length > 0 || rootLookup === 'running') return
    if (task.blockLookup === 'none') void lookUpBlock(task)
    if (task.blockLookup === 'running') return
    remove(task)
    // A timeout does not prove that the block is absent.
    const reason = task.timeouts > 0 ? 'timeout' : allAnswered ? 'none' : 'noPeer'
    parts.fail(task, reason)
    activate()
  }

  /** Replaces an idle member, so that a waiting provider can join. */
  function replaceIdle(): void {
    for (const [name, { outstanding }] of members) {
      if (outstanding > 0) continue
      members.delete(name)
      fillMembers()
      return
    }
  }

  function release(task: Task): void {
    const member = task.sentTo === null ? undefined : members.get(task.sentTo.name)
    if (member !== undefined) member.outstanding -= 1
    task.sentTo = null
  }

  function remove(task: Task): void {
    tasks.delete(task)
    active.delete(task)
  }

  /** Cancels the want at its peers. `except`: the peer that sent the block, which has already removed the want. */
  function recall(task: Task, except: string | null): void {
    for (const name of new Set([
      ...task.probed,
      ...(task.sentTo === null ? [] : [task.sentTo.name]),
    ])) {
      const member = members.get(name)
      if (member !== undefined && name !== except) parts.cancel(task, member.peer)
    }
    release(task)
  }

  /** Wants that time out together count as one timeout of the peer. */
  function checkMember(member: Member, now: number): void {
    const asked = [...active].filter((task) => task.sentTo === member.peer)
    const late = asked.filter((task) => now - task.sentAt >= limits.peerWaitMs)
    const [first] = late
    if (first === undefined) return
    const isSilent = now - Math.max(member.lastBytesAt, first.sentAt) >= limits.peerWaitMs
    if (isSilent) {
      member.lastBytesAt = now
      member.timeouts += 1
      for (const task of late) task.timeouts += 1
      if (member.timeouts >= limits.timeoutsMax) {
        lose(member.peer.name)
        return
      }
    }
    for (const task of late) {
      if (isSilent || now - task.sentAt >= limits.peerWaitMsMax) moveOn(task, member)
    }
  }

  /** Moves the want to another peer if there is one, otherwise sends it to the same peer again: the first message may be lost. */
  function moveOn(task: Task, member: Member): void {
    task.tried.add(member.peer.name)
    if (choose(task) === null) {
      task.tried.delete(member.peer.name)
      task.sentAt = clock.monotonic()
      member.peer.want(task.cid, false)
      return
    }
    parts.cancel(task, member.peer)
    release(task)
    advance(task)
  }

  function lose(name: string): void {
    const member = members.get(name)
    if (member === undefined) return
    members.delete(name)
    for (const task of active) {
      task.have.delete(name)
      task.probed.delete(name)
      if (task.sentTo?.name !== name) continue
      parts.cancel(task, member.peer)
      task.sentTo = null
    }
    fillMembers()
    advanceIdle()
  }

  const session: Session = {
    add(id, cid, key, created) {
      const task = createTask(id, cid, key, session, clock.monotonic())
      created(task)
      tasks.add(task)
      queued.push(task)
      activate()
    },
    settle(task, from) {
      const member = members.get(from)
      if (member !== undefined) {
        member.lastBytesAt = clock.monotonic()
        member.timeouts = 0
      }
      recall(task, from)
      remove(task)
      arrived += 1
      if (arrived >= window && window < limits.windowMax) {
        window = Math.min(window * 2, limits.windowMax)
        arrived = 0
      }
      activate()
    },
    drop(task) {
      recall(task, null)
      remove(task)
      activate()
    },
    presence(task, name, have) {
      const member = members.get(name)
      if (member === undefined || !active.has(task)) return
      if (have) {
        task.have.add(name)
        if (task.sentTo === null && !task.tried.has(name)) advance(task)
        return
      }
      task.have.delete(name)
      task.tried.add(name)
      if (task.sentTo?.name !== name) return
      release(task)
      advance(task)
    },
    lose,
    tick() {
      const now = clock.monotonic()
      for (const member of members.values()) checkMember(member, now)
      for (const task of active) {
        if (task.sentTo === null) advance(task)
        const isLate = now - task.startedAt >= limits.blockLookupMs
        if (active.has(task) && isLate && task.blockLookup === 'none') void lookUpBlock(task)
      }
    },
    offer,
    close() {
      over.abort(new Error('the session is closed'))
      for (const task of tasks) {
        recall(task, null)
        remove(task)
      }
      queued.length = 0
    },
    tasks,
    get window() {
      return window
    },
    get peers() {
      return [...members.keys()]
    },
  }
  return session
}

function createTask(id: number, cid: Uint8Array, key: string, session: Session, now: number): Task {
  return {
    id,
    cid,
    key,
    session,
    startedAt: now,
    sentAt: now,
    sentTo: null,
    probed: new Set(),
    have: new Set(),
    tried: new Set(),
    timeouts: 0,
    blockLookup: 'none',
  }
}
