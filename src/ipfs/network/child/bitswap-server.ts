// Serves blocks to peers. It stores no blocks: it requests the size of each wanted block from the server, replies HAVE or DONT_HAVE
// immediately, and requests the bytes of a few blocks at a time. Presences are sent before blocks; the wants and bytes in flight of
// each peer are limited.
// Tested by src/ipfs/network/child/bitswap-server.test.ts
import type { Clock } from '../../../base/clock.ts'
import {
  type BitswapPresence,
  type BitswapWant,
  type BlockToSend,
  encodeMessage,
} from './bitswap-message.ts'
import { createRateTurns } from './token-bucket.ts'

export type ServerLimits = {
  /** Maximum number of wants of a peer; the oldest is dropped for a new one. */
  readonly wantsMax: number
  /** Bytes in flight of a peer, from the request to the written message. One block is always allowed. */
  readonly bytesInFlightMax: number
  /** Bytes in flight of all peers. */
  readonly allBytesInFlightMax: number
  /**
   * Requests for sizes, and for blocks, that wait for the server, of all peers. Beyond them, peers take turns: the server counts
   * blocks as absent if too many requests wait.
   */
  readonly sizesPendingMax: number
  readonly blocksPendingMax: number
  /** A message with blocks is sent when it has this many bytes, or when all requested blocks have arrived. */
  readonly messageBytes: number
}

export const serverLimits: ServerLimits = {
  wantsMax: 1024,
  bytesInFlightMax: 1024 * 1024,
  allBytesInFlightMax: 64 * 1024 * 1024,
  sizesPendingMax: 1024,
  blocksPendingMax: 2048,
  messageBytes: 64 * 1024,
}

export const presencesPerMessageMax = 1024

type Want = {
  readonly cid: Uint8Array
  readonly multihash: Uint8Array
  readonly haveOnly: boolean
  readonly sendDontHave: boolean
  size: number
}

type Ledger = {
  readonly wants: Map<string, Want>
  presences: BitswapPresence[]
  /** Wanted blocks that exist and are not requested yet. */
  queue: Want[]
  ready: BlockToSend[]
  readyBytes: number
  /** Wants whose size is not requested yet. */
  readonly unsized: Map<string, Want>
  /** Pending block requests. */
  pendingBlocks: number
  bytesInFlight: number
  blocksSent: number
  bytesSent: number
}

type Ask = {
  readonly peer: string
  readonly key: string
  readonly want: Want
  readonly sizeOnly: boolean
}

export type BitswapServer = {
  receive(peer: string, wants: readonly BitswapWant[], full: boolean): void
  /** The next message for the peer; null: none now. */
  next(peer: string): Uint8Array | null
  /** Replies of the server. */
  here(id: number, bytes: Uint8Array): void
  size(id: number, bytes: number): void
  notHere(id: number): void
  disconnected(peer: string): void
  setRate(bytesPerSecond: number): void
  wantlist(peer: string): readonly Uint8Array[]
  sent(peer: string): { readonly blocks: number; readonly bytes: number }
  readonly blocksSent: number
  readonly bytesSent: number
}

export type ServerParts = {
  /** `fetch`: serves no blocks. */
  readonly mode: 'fetch' | 'provide'
  readonly ask: (id: number, multihash: Uint8Array, sizeOnly: boolean) => void
  readonly wake: (peer: string) => void
  readonly clock: Clock
  readonly bytesPerSecondMax: number
  readonly limits: ServerLimits
}

export function createBitswapServer(parts: ServerParts): BitswapServer {
  const { mode, wake, limits } = parts
  const ledgers = new Map<string, Ledger>()
  const asks = new Map<number, Ask>()
  /** Peers that wait until other peers release memory or requests, in turn. */
  const blockedPeers = new Set<string>()
  /** Peers with wants whose size is not requested yet, in turn. */
  const unsizedPeers = new Set<string>()
  let sizesPending = 0
  let blocksPending = 0
  const rate = createRateTurns(parts.clock, parts.bytesPerSecondMax, wake)
  let nextId = 1
  let allBytesInFlight = 0
  let blocksSent = 0
  let bytesSent = 0

  function ledgerOf(peer: string): Ledger {
    const known = ledgers.get(peer)
    if (known !== undefined) return known
    const ledger = createLedger()
    ledgers.set(peer, ledger)
    return ledger
  }

  function ask(peer: string, key: string, want: Want, sizeOnly: boolean): void {
    const id = nextId
    nextId = (nextId % 0xffff_ffff) + 1
    asks.set(id, { peer, key, want, sizeOnly })
    parts.ask(id, want.multihash, sizeOnly)
  }

  function accept(peer: string, ledger: Ledger, entry: BitswapWant): void {
    const key = keyOf(entry.cid)
    const before = ledger.wants.get(key)
    if (entry.cancel) {
      ledger.wants.delete(key)
      ledger.unsized.delete(key)
      return
    }
    // An unanswered want is kept, unless the new one requests the block instead of its presence.
    if (before !== undefined && (entry.haveOnly || !before.haveOnly)) return
    if (mode === 'fetch') {
      if (entry.sendDontHave) present(ledger, entry.cid, false)
      return
    }
    ledger.wants.delete(key)
    const [oldest] = ledger.wants.keys()
    if (ledger.wants.size >= limits.wantsMax && oldest !== undefined) {
      ledger.wants.delete(oldest)
      ledger.unsized.delete(oldest)
    }
    const { cid, multihash, haveOnly, sendDontHave } = entry
    const want = { cid, multihash, haveOnly, sendDontHave, size: 0 }
    ledger.wants.set(key, want)
    ledger.unsized.set(key, want)
    unsizedPeers.add(peer)
  }

  function requestSizes(): void {
    while (sizesPending < limits.sizesPendingMax) {
      const [peer] = unsizedPeers
      if (peer === undefined) return
      unsizedPeers.delete(peer)
      const unsized = ledgers.get(peer)?.unsized
      const [next] = unsized ?? []
      if (unsized === undefined || next === undefined) continue
      const [key, want] = next
      unsized.delete(key)
      if (unsized.size > 0) unsizedPeers.add(peer)
      sizesPending += 1
      ask(peer, key, want, true)
    }
  }

  function present(ledger: Ledger, cid: Uint8Array, have: boolean): void {
    if (ledger.presences.length >= limits.wantsMax * 2) ledger.presences.shift()
    ledger.presences.push({ cid, have })
  }

  /**
   * Removes a request and returns it with its ledger; null: unknown, or the peer disconnected. `isCurrent`: the peer still wants
   * the block.
   */
  function answer(
    id: number,
  ): (Ask & { readonly ledger: Ledger; readonly isCurrent: boolean }) | null {
    const one = asks.get(id)
    if (one === undefined) return null
    asks.delete(id)
    if (one.sizeOnly) {
      sizesPending -= 1
      requestSizes()
    } else {
      blocksPending -= 1
      if (blocksPending === limits.blocksPendingMax - 1) wakeWaiting()
    }
    const ledger = ledgers.get(one.peer)
    if (ledger === undefined) {
      if (!one.sizeOnly) freeBytes(one.want.size)
      return null
    }
    return { ...one, ledger, isCurrent: ledger.wants.get(one.key) === one.want }
  }

  /** Requests bytes of queued blocks within the limits of bytes in flight. */
  function fill(peer: string, ledger: Ledger): void {
    while (ledger.queue.length > 0) {
      const [want] = ledger.queue as [Want]
      const key = keyOf(want.cid)
      if (ledger.wants.get(key) !== want) {
        ledger.queue.shift()
        continue
      }
      const isAlone = ledger.bytesInFlight === 0
      if (!isAlone && ledger.bytesInFlight + want.size > limits.bytesInFlightMax) return
      const isFull = allBytesInFlight + want.size > limits.allBytesInFlightMax
      if (isFull || blocksPending >= limits.blocksPendingMax) {
        blockedPeers.add(peer)
        return
      }
      ledger.queue.shift()
      ledger.bytesInFlight += want.size
      allBytesInFlight += want.size
      ledger.pendingBlocks += 1
      blocksPending += 1
      ask(peer, key, want, false)
    }
  }

  function freeBytes(bytes: number): void {
    allBytesInFlight -= bytes
    if (blockedPeers.size > 0) wakeWaiting()
  }

  function wakeWaiting(): void {
    const peers = [...blockedPeers]
    const served: string[] = []
    blockedPeers.clear()
    for (const peer of peers) {
      const ledger = ledgers.get(peer)
      if (ledger === undefined) continue
      const before = ledger.queue.length
      fill(peer, ledger)
      if (blockedPeers.has(peer) && ledger.queue.length < before) served.push(peer)
      wake(peer)
    }
    for (const peer of served) {
      blockedPeers.delete(peer)
      blockedPeers.add(peer)
    }
  }

  function takePresences(ledger: Ledger): Uint8Array {
    const presences = ledger.presences.slice(0, presencesPerMessageMax)
    ledger.presences = ledger.presences.slice(presencesPerMessageMax)
    return encodeMessage({ presences })
  }

  function takeBlocks(peer: string, ledger: Ledger): Uint8Array {
    const blocks: BlockToSend[] = []
    let bytes = 0
    while (ledger.ready.length > 0 && bytes < limits.messageBytes) {
      const block = ledger.ready.shift() as BlockToSend
      blocks.push(block)
      bytes += block.bytes.length
    }
    ledger.readyBytes -= bytes
    ledger.bytesInFlight -= bytes
    ledger.blocksSent += blocks.length
    ledger.bytesSent += bytes
    blocksSent += blocks.length
    bytesSent += bytes
    rate.take(bytes)
    freeBytes(bytes)
    fill(peer, ledger)
    return encodeMessage({ blocks })
  }

  return {
    receive(peer, wants, full) {
      if (wants.length === 0 && !full) return
      const ledger = ledgerOf(peer)
      if (full) {
        ledger.wants.clear()
        ledger.unsized.clear()
      }
      for (const entry of wants) accept(peer, ledger, entry)
      requestSizes()
      if (ledger.presences.length > 0) wake(peer)
    },
    next(peer) {
      const ledger = ledgers.get(peer)
      if (ledger === undefined) return null
      if (ledger.presences.length > 0) return takePresences(ledger)
      const isWhole = ledger.readyBytes >= limits.messageBytes || ledger.pendingBlocks === 0
      if (ledger.ready.length === 0 || !isWhole || !rate.mayPass(peer)) return null
      return takeBlocks(peer, ledger)
    },
    size(id, bytes) {
      const one = answer(id)
      if (one === null || !one.isCurrent || !one.sizeOnly) return
      const { ledger, want, key, peer } = one
      if (want.haveOnly) {
        ledger.wants.delete(key)
        present(ledger, want.cid, true)
        wake(peer)
        return
      }
      want.size = bytes
      if (ledger.queue.length > limits.wantsMax * 2) {
        ledger.queue = ledger.queue.filter((other) => ledger.wants.get(keyOf(other.cid)) === other)
      }
      ledger.queue.push(want)
      fill(peer, ledger)
    },
    here(id, bytes) {
      const one = answer(id)
      if (one === null || one.sizeOnly) return
      const { ledger, want, key, peer, isCurrent } = one
      ledger.pendingBlocks -= 1
      const extra = (isCurrent ? bytes.length : 0) - want.size
      ledger.bytesInFlight += extra
      allBytesInFlight += extra
      if (isCurrent) {
        ledger.wants.delete(key)
        ledger.ready.push({ cid: want.cid, bytes })
        ledger.readyBytes += bytes.length
      } else fill(peer, ledger)
      wake(peer)
    },
    notHere(id) {
      const one = answer(id)
      if (one === null) return
      const { ledger, want, key, peer, isCurrent, sizeOnly } = one
      if (!sizeOnly) {
        ledger.pendingBlocks -= 1
        ledger.bytesInFlight -= want.size
        freeBytes(want.size)
        fill(peer, ledger)
      }
      if (isCurrent) {
        ledger.wants.delete(key)
        if (want.sendDontHave) present(ledger, want.cid, false)
      }
      wake(peer)
    },
    disconnected(peer) {
      const ledger = ledgers.get(peer)
      if (ledger === undefined) return
      ledgers.delete(peer)
      blockedPeers.delete(peer)
      unsizedPeers.delete(peer)
      rate.forget(peer)
      // Bytes of pending requests are released when the replies arrive.
      freeBytes(ledger.readyBytes)
    },
    setRate: (bytesPerSecond) => rate.setRate(bytesPerSecond),
    wantlist: (peer) => [...(ledgers.get(peer)?.wants.values() ?? [])].map(({ cid }) => cid),
    sent(peer) {
      const { blocksSent: blocks = 0, bytesSent: bytes = 0 } = ledgers.get(peer) ?? {}
      return { blocks, bytes }
    },
    get blocksSent() {
      return blocksSent
    },
    get bytesSent() {
      return bytesSent
    },
  }
}

function createLedger(): Ledger {
  return {
    wants: new Map(),
    presences: [],
    queue: [],
    ready: [],
    readyBytes: 0,
    unsized: new Map(),
    pendingBlocks: 0,
    bytesInFlight: 0,
    blocksSent: 0,
    bytesSent: 0,
  }
}

export function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
