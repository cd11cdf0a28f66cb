// Limits of connections: per address, so that one client cannot use up the total limit, and in total: near that limit the
// longest idle connections are closed for new ones.
// Tested by src/http/connection-limits.test.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { networkOf } from '../base/addresses.ts'

type Idle = { readonly socket: Socket; readonly idleMs: number }

export type IdleSockets = {
  /** node:http has taken over this connection. */
  add(socket: Socket): void
  /** The connection received this request; it is not idle until the response is closed. */
  used(request: IncomingMessage, response: ServerResponse): void
  /** The connection is no longer HTTP. */
  upgraded(socket: Socket): void
  /** A new connection opened in addition to `open` others: closes idle ones if few places are left. */
  makeRoom(open: number): void
  /**
   * Closes the connections of `of` (default: all) that were idle longest: a share of `limit`, but at least one. Input and result
   * are TCP connections.
   */
  closeOldest(limit: number, of?: ReadonlySet<Socket>): readonly Socket[]
}

/** Divisor of the limit: the share to close at once, because each search reads all connections. */
const share = 32

/** `others`: idle connections outside node:http. `rawOf`: the TCP connection of a socket; default: the socket itself. */
export function createIdleSockets(parts: {
  readonly connectionsMax: number
  readonly others: () => readonly Idle[]
  readonly rawOf?: (socket: Socket) => Socket
  readonly clock: Clock
}): IdleSockets {
  const { connectionsMax, others, rawOf = (socket: Socket) => socket, clock } = parts
  const sockets = new Map<Socket, { since: number; requests: number }>()
  let closing = 0

  const batchOf = (limit: number): number => Math.max(1, Math.floor(limit / share))

  function ownIdle(): readonly Idle[] {
    const now = clock.monotonic()
    return [...sockets].flatMap(([socket, { since, requests }]) =>
      requests === 0 ? [{ socket, idleMs: now - since }] : [],
    )
  }

  function closeOldest(limit: number, of?: ReadonlySet<Socket>): readonly Socket[] {
    const closed = [...others(), ...ownIdle()]
      .filter(({ socket }) => !socket.destroyed && (of === undefined || of.has(rawOf(socket))))
      .sort((one, other) => other.idleMs - one.idleMs)
      .slice(0, batchOf(limit))
      .map(({ socket }) => socket)
    for (const socket of closed) {
      closing++
      socket.once('close', () => closing--)
      socket.destroy()
    }
    return closed.map(rawOf)
  }

  return {
    add(socket) {
      sockets.set(socket, { since: clock.monotonic(), requests: 0 })
      socket.once('close', () => sockets.delete(socket))
    },
    used({ socket }, response) {
      const entry = sockets.get(socket)
      if (entry === undefined) return
      entry.requests++
      response.once('close', () => {
        entry.requests--
        entry.since = clock.monotonic()
      })
    },
    upgraded: (socket) => void sockets.delete(socket),
    makeRoom(open) {
      if (open - closing >= connectionsMax - batchOf(connectionsMax)) closeOldest(connectionsMax)
    },
    closeOldest,
  }
}

/**
 * Counts a new connection. Over `connectionsMax` from one address, `makeRoom` closes idle ones of that address and
 * returns them. If it returns none, the new connection is closed and the result is false. `exempts`: addresses of
 * many clients, such as trusted proxies.
 */
export function createAddressCap(
  connectionsMax: number,
  exempts: (address: string) => boolean = () => false,
  makeRoom: (open: ReadonlySet<Socket>) => readonly Socket[] = () => [],
): (socket: Socket) => boolean {
  // Limited by the total number of connections: an address is removed with its last connection.
  const open = new Map<string, Set<Socket>>()

  function release(address: string, socket: Socket): void {
    const sockets = open.get(address)
    sockets?.delete(socket)
    if (sockets?.size === 0) open.delete(address)
  }

  return (socket) => {
    const peer = socket.remoteAddress ?? ''
    if (exempts(peer)) return true
    const address = networkOf(peer)
    const openSockets = open.get(address)
    if (openSockets !== undefined && openSockets.size >= connectionsMax) {
      const closed = makeRoom(openSockets)
      if (closed.length === 0) {
        socket.destroy()
        return false
      }
      for (const one of closed) release(address, one)
    }
    const sockets = open.get(address) ?? new Set()
    sockets.add(socket)
    open.set(address, sockets)
    socket.once('close', () => release(address, socket))
    return true
  }
}
