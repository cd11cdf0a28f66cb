// A request to switch to WebSocket, after its headers and before the first answer. The server creates it.
// Tested by src/rpc/api/web-socket-api.test.ts
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpExchange } from './http-exchange.ts'
import type { Target } from './request-head.ts'

export type Upgrade = {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** Of the client, see `ClientAddress` in request-head.ts. */
  readonly address: string
  /** Bytes after the headers in the same packet. */
  readonly head: Buffer
  readonly target: Target
  readonly requestId: string
  readonly draining: boolean
  /** Returns the exchange, to answer the request in HTTP; the connection ends with that answer. Call once. */
  refuse(): HttpExchange
}

export interface Upgrades {
  /** Evaluated for each request with an `Upgrade` header; one that is not taken is answered in HTTP as any other. */
  takes(request: IncomingMessage): boolean
  /** Opens a connection over the socket, or refuses. Never throws. */
  open(upgrade: Upgrade): void
  /**
   * Lets calls in flight end, closing each connection after its last one; at `deadlineMs` disconnects the rest. `of`:
   * connections that are drained; absent: all.
   */
  drain(deadlineMs: number, of?: (socket: Socket) => boolean): void
}
