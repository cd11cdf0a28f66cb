// A request to switch to WebSocket, after its headers and before the first reply. The server creates it.
// Tested by src/rpc/api/web-socket-api.test.ts
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpExchange } from './http-exchange.ts'
import type { Target } from './request-head.ts'

export type Upgrade = {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** Client address, see `ClientAddress` in request-head.ts. */
  readonly address: string
  /** Bytes after the headers in the same packet. */
  readonly head: Buffer
  readonly target: Target
  readonly requestId: string
  readonly draining: boolean
  /** Returns the exchange, to send an HTTP reply; the connection closes after it. Call once. */
  refuse(): HttpExchange
}

export interface Upgrades {
  /** Called for each request with an `Upgrade` header. False: the request gets an HTTP reply like any other. */
  accepts(request: IncomingMessage): boolean
  /** Opens a connection over the socket, or refuses. Never throws. */
  open(upgrade: Upgrade): void
  /**
   * Closes each connection after its last call in flight; at `deadlineMs` disconnects the rest. `of`: connections to drain; absent:
   * all.
   */
  drain(deadlineMs: number, of?: (socket: Socket) => boolean): void
}
