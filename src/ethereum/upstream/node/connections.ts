// The connections of one client to its upstream, a bounded number of them: an exchange goes over one that is idle, or over
// a new one, or waits in line.
import type { Clock } from '../../../base/clock.ts'
import { createBusyPoll, type BusyPoll } from './busy-poll.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import type { UpstreamExchange } from './exchange.ts'
import { createReadReplyHead } from './reply-head.ts'

export type ConnectionsOptions = Pick<
  ConnectionOwner,
  'url' | 'head' | 'connectMs' | 'idleMs' | 'headBytesMax'
> & {
  readonly connectionsMax: number
  readonly clock: Clock
  readonly busyPoll?: BusyPoll
}

export type Connections = {
  dispatch(exchange: UpstreamExchange): void
  /** What is under way, and what comes later, ends with an error. */
  close(): void
}

/** As much of a response as is read at once. */
const roomBytes = 64 * 1024
const closed = 'closed'

/** The line is bounded by whoever dispatches. */
export function createConnections(options: ConnectionsOptions): Connections {
  const { connectionsMax, clock, busyPoll = createBusyPoll({ clock }) } = options
  const all = new Set<Connection>()
  /** The one that was used last is used next: the others may go. */
  const idle: Connection[] = []
  const waiting: UpstreamExchange[] = []
  let isClosed = false

  const owner: ConnectionOwner = {
    ...options,
    readReplyHead: createReadReplyHead(),
    room: Buffer.allocUnsafeSlow(roomBytes),
    session: null,
    busyPoll,
    onIdle(connection) {
      const next = nextInLine()
      if (next !== undefined) return connection.start(next)
      idle.push(connection)
    },
    onEnded(connection) {
      all.delete(connection)
      const at = idle.indexOf(connection)
      if (at !== -1) idle.splice(at, 1)
      const next = isClosed ? undefined : nextInLine()
      if (next !== undefined) dispatch(next)
    },
  }

  /** Who left the line meanwhile is passed over. */
  function nextInLine(): UpstreamExchange | undefined {
    for (;;) {
      const next = waiting.shift()
      if (next === undefined || !next.isSettled) return next
    }
  }

  function dispatch(exchange: UpstreamExchange): void {
    if (isClosed) return exchange.onError(closed, false)
    const now = clock.monotonic()
    // No timer for these: heads are asked for every few seconds.
    for (const late of idle.filter(({ idleUntil }) => idleUntil <= now)) late.leave()
    const connection = idle.pop()
    if (connection !== undefined) return connection.start(exchange)
    if (all.size < connectionsMax) all.add(new Connection(owner, exchange))
    else waiting.push(exchange)
  }

  return {
    dispatch,
    close() {
      isClosed = true
      for (const exchange of waiting.splice(0)) exchange.onError(closed, false)
      for (const connection of all) connection.end(closed)
    },
  }
}
