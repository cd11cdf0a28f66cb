// Fetches blocks from peers: manages all sessions, the wants sent to each peer, and the blocks that arrive. A block is accepted
// only if its hash matches a want; a block that was never wanted is an invalid reply, and its peer is excluded.
// Tested by src/ipfs/network/child/bitswap-client.test.ts
import type { Clock } from '../../../base/clock.ts'
import { setNewest } from '../../../base/lru-cache.ts'
import { decodeCid } from '../../../codec/ipld/cid.ts'
import type { FailReason } from '../net-frames.ts'
import { type BitswapMessage, encodeMessage, type WantToSend } from './bitswap-message.ts'
import {
  createSession,
  type Session,
  sessionLimits,
  type SessionParts,
  type Task,
} from './bitswap-session.ts'
import { keyOf } from './bitswap-server.ts'
import type { BlockPeer, Provider } from './block-peer.ts'

export type ClientParts = Pick<SessionParts, 'lookUp'> & {
  readonly clock: Clock
  /** Called with the verified block of a want. */
  readonly found: (id: number, bytes: Uint8Array) => void
  readonly failed: (id: number, reason: FailReason | 'none') => void
  /** Connects a Bitswap peer. Rejects if it is not reachable. */
  readonly dial: (peer: string, addresses: readonly string[]) => Promise<void>
  /** Null: its address is not allowed, or it is not a trustless gateway. */
  readonly openGateway: (url: string) => Promise<BlockPeer | null>
  readonly wake: (peer: string) => void
  readonly exclude: (peer: string) => void
  /** Peers that every session queries. */
  readonly operatorPeers: () => readonly Provider[]
}

export type BitswapClient = {
  open(id: number, root: Uint8Array, hints: readonly Provider[]): void
  shut(id: number): void
  want(id: number, session: number, cid: Uint8Array): void
  drop(id: number): void
  receive(peer: string, message: BitswapMessage): void
  /** The next message of wants for the peer; null: none. */
  next(peer: string): Uint8Array | null
  /** A gateway's reply to a want: the bytes, or null if it does not have the block. */
  gatewayAnswered(name: string, cid: Uint8Array, bytes: Uint8Array | null): void
  /** The gateway sent a wrong block: all sessions drop it. */
  rejectGateway(name: string): void
  /** The peer sent malformed messages: it is excluded. */
  rejectPeer(peer: string): void
  disconnected(peer: string): void
  tick(): void
  wantlist(): readonly Uint8Array[]
  received(peer: string): { readonly blocks: number; readonly bytes: number }
  readonly counts: ClientCounts
}

type ClientCounts = {
  sessions: number
  wants: number
  blocksReceived: number
  bytesReceived: number
  duplicatesReceived: number
  duplicateBytesReceived: number
  lies: number
}

export const sessionsMax = 256
export const wantsMax = 8192
/** Maximum number of wants in one message. */
export const wantsPerMessageMax = 512
/** CIDs remembered per peer, to recognize blocks that were sent before a cancel arrived. */
export const requestedMax = 4096

type PeerWants = {
  readonly outgoing: Map<string, WantToSend>
  /** Keys of multihashes. */
  readonly requested: Map<string, true>
  blocks: number
  bytes: number
}

export function createBitswapClient(parts: ClientParts): BitswapClient {
  const { clock, wake } = parts
  const sessions = new Map<number, Session>()
  const tasks = new Map<number, Task>()
  /** Tasks of all sessions by the key of their multihash. */
  const byKey = new Map<string, Set<Task>>()
  const peers = new Map<string, PeerWants>()
  const counts: ClientCounts = {
    sessions: 0,
    wants: 0,
    blocksReceived: 0,
    bytesReceived: 0,
    duplicatesReceived: 0,
    duplicateBytesReceived: 0,
    lies: 0,
  }

  function peerOf(name: string): PeerWants {
    const known = peers.get(name)
    if (known !== undefined) return known
    const wants: PeerWants = { outgoing: new Map(), requested: new Map(), blocks: 0, bytes: 0 }
    peers.set(name, wants)
    return wants
  }

  /** A connected Bitswap peer as sessions see it. */
  function bitswapPeer(name: string): BlockPeer {
    return {
      name,
      want(cid, haveOnly) {
        const wants = peerOf(name)
        const key = keyOf(cid)
        const before = wants.outgoing.get(key)
        if (before !== undefined && !before.cancel && !before.haveOnly && haveOnly) return
        wants.outgoing.set(key, { cid, priority: 1, cancel: false, haveOnly })
        wake(name)
      },
      cancel(cid) {
        const wants = peers.get(name)
        if (wants === undefined) return
        wants.outgoing.set(keyOf(cid), { cid, priority: 0, cancel: true, haveOnly: false })
        wake(name)
      },
    }
  }

  async function connect(provider: Provider): Promise<BlockPeer | null> {
    try {
      if (provider.kind === 'gateway') return await parts.openGateway(provider.url)
      await parts.dial(provider.peer, provider.addresses)
      return bitswapPeer(provider.peer)
    } catch {
      return null
    }
  }

  function forget(task: Task): void {
    tasks.delete(task.id)
    const same = byKey.get(task.key)
    same?.delete(task)
    if (same?.size === 0) byKey.delete(task.key)
  }

  const sessionParts: SessionParts = {
    clock,
    limits: sessionLimits,
    lookUp: parts.lookUp,
    connect,
    fail(task, reason) {
      forget(task)
      parts.failed(task.id, reason)
    },
    cancel(task, peer) {
      const others = [...(byKey.get(task.key) ?? [])].filter((other) => other !== task)
      if (others.some((one) => one.sentTo?.name === peer.name || one.probed.has(peer.name))) return
      peer.cancel(task.cid)
    },
  }

  /** Returns true if the block was wanted. */
  function arrive(from: string, key: string, bytes: Uint8Array): boolean {
    const same = byKey.get(key)
    if (same === undefined) return false
    counts.blocksReceived += 1
    counts.bytesReceived += bytes.length
    for (const task of same) {
      forget(task)
      task.session.settle(task, from)
      parts.found(task.id, bytes)
    }
    return true
  }

  function exclude(peer: string): void {
    counts.lies += 1
    parts.exclude(peer)
    disconnected(peer)
  }

  function disconnected(peer: string): void {
    peers.delete(peer)
    for (const session of sessions.values()) session.lose(peer)
  }

  return {
    open(id, root, hints) {
      if (sessions.has(id) || sessions.size >= sessionsMax) return
      const session = createSession(root, sessionParts)
      sessions.set(id, session)
      for (const provider of [...parts.operatorPeers(), ...hints]) session.offer(provider)
    },
    shut(id) {
      const session = sessions.get(id)
      if (session === undefined) return
      for (const task of session.tasks) forget(task)
      session.close()
      sessions.delete(id)
    },
    want(id, sessionId, bytes) {
      const session = sessions.get(sessionId)
      const cid = decodeCid(bytes)
      if (session === undefined || cid === null || tasks.size >= wantsMax) {
        parts.failed(id, 'busy')
        return
      }
      const key = keyOf(cid.multihash.bytes)
      // Indexed first, because a session may end the want during this call.
      const same = byKey.get(key) ?? new Set()
      byKey.set(key, same)
      session.add(id, bytes, key, (task) => {
        same.add(task)
        tasks.set(id, task)
      })
    },
    drop(id) {
      const task = tasks.get(id)
      if (task === undefined) return
      forget(task)
      task.session.drop(task)
    },
    receive(name, message) {
      const wants = peerOf(name)
      for (const { multihash, bytes } of message.blocks) {
        wants.blocks += 1
        wants.bytes += bytes.length
        const key = keyOf(multihash)
        if (arrive(name, key, bytes)) continue
        if (!wants.requested.has(key)) {
          exclude(name)
          return
        }
        counts.duplicatesReceived += 1
        counts.duplicateBytesReceived += bytes.length
      }
      for (const { multihash, have } of message.presences) {
        for (const task of byKey.get(keyOf(multihash)) ?? []) {
          task.session.presence(task, name, have)
        }
      }
    },
    next(name) {
      const wants = peers.get(name)
      if (wants === undefined || wants.outgoing.size === 0) return null
      const batch: WantToSend[] = []
      for (const [key, want] of wants.outgoing) {
        if (batch.length === wantsPerMessageMax) break
        wants.outgoing.delete(key)
        batch.push(want)
        const multihash = decodeCid(want.cid)?.multihash.bytes
        if (multihash !== undefined)
          setNewest(wants.requested, keyOf(multihash), true, requestedMax)
      }
      return encodeMessage({ wants: batch })
    },
    gatewayAnswered(name, bytes, block) {
      const cid = decodeCid(bytes)
      if (cid === null) return
      const key = keyOf(cid.multihash.bytes)
      if (block !== null) {
        arrive(name, key, block)
        return
      }
      for (const task of byKey.get(key) ?? []) task.session.presence(task, name, false)
    },
    rejectGateway(name) {
      counts.lies += 1
      disconnected(name)
    },
    rejectPeer: exclude,
    disconnected,
    tick() {
      for (const session of sessions.values()) session.tick()
    },
    wantlist: () => [...tasks.values()].map(({ cid }) => cid),
    received(name) {
      const { blocks = 0, bytes = 0 } = peers.get(name) ?? {}
      return { blocks, bytes }
    },
    get counts() {
      return { ...counts, sessions: sessions.size, wants: tasks.size }
    },
  }
}
