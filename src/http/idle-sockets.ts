// Makes room for new connections near the limits: closes the connections that have been idle longest, some at a time,
// so that clients that hold connections and send nothing do not keep others out.
// Tested by src/http/idle-sockets.test.ts
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'

type Idle = { readonly socket: Socket; readonly idleMs: number }

export type IdleSockets = {
  /** node:http has taken over this connection. */
  add(socket: Socket): void
  /** The connection brought this request; it is not idle until the response is closed. */
  used(request: IncomingMessage, response: ServerResponse): void
  /** It is no HTTP connection any more. */
  upgraded(socket: Socket): void
  /** A new connection was made beside `open` others: closes idle ones where few places are left. */
  makeRoom(open: number): void
  /** Closes the longest idle of these connections; they are a share of `limit`, at least one. Gives those it closed. */
  closeOldest(limit: number, of?: ReadonlySet<Socket>): readonly Socket[]
}

/** Part of the places that is freed at a time: each search looks at all connections. */
const share = 32

/** `others`: idle connections that node:http does not have. */
export function createIdleSockets(parts: {
  readonly connectionsMax: number
  readonly others: () => readonly Idle[]
  readonly clock: Clock
}): IdleSockets {
  const { connectionsMax, others, clock } = parts
  const known = new Map<Socket, { since: number; requests: number }>()
  let closing = 0

  const batchOf = (limit: number): number => Math.max(1, Math.floor(limit / share))

  function ownIdle(): readonly Idle[] {
    const now = clock.monotonic()
    return [...known].flatMap(([socket, { since, requests }]) =>
      requests === 0 ? [{ socket, idleMs: now - since }] : [],
    )
  }

  function closeOldest(limit: number, of?: ReadonlySet<Socket>): readonly Socket[] {
    const closed = [...others(), ...ownIdle()]
      .filter(({ socket }) => !socket.destroyed && (of === undefined || of.has(socket)))
      .sort((one, other) => other.idleMs - one.idleMs)
      .slice(0, batchOf(limit))
      .map(({ socket }) => socket)
    for (const socket of closed) {
      closing++
      socket.once('close', () => closing--)
      socket.destroy()
    }
    return closed
  }

  return {
    add(socket) {
      known.set(socket, { since: clock.monotonic(), requests: 0 })
      socket.once('close', () => known.delete(socket))
    },
    used({ socket }, response) {
      const entry = known.get(socket)
      if (entry === undefined) return
      entry.requests++
      response.once('close', () => {
        entry.requests--
        entry.since = clock.monotonic()
      })
    },
    upgraded: (socket) => void known.delete(socket),
    makeRoom(open) {
      if (open - closing >= connectionsMax - batchOf(connectionsMax)) closeOldest(connectionsMax)
    },
    closeOldest,
  }
}
