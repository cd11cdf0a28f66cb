// A request that asks to become a WebSocket, between its headers and the first answer. Made by the server.
// Tested by src/rpc/api/web-socket-api.test.ts
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpExchange } from './http-exchange.ts'
import type { Target } from './request-head.ts'

export type Upgrade = {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** The caller's, as `client-address.ts` finds it. */
  readonly address: string
  /** What came behind the headers in the same packet. */
  readonly head: Buffer
  readonly target: Target
  readonly requestId: string
  readonly draining: boolean
  /** The same request, to be answered in HTTP after all; the connection ends with that answer. Call it once. */
  refuse(): HttpExchange
}

export interface Upgrades {
  /** Evaluated for each request with an `Upgrade` header; one that is not taken is answered in HTTP as any other. */
  takes(request: IncomingMessage): boolean
  /** Opens a connection over the socket, or refuses. Never throws. */
  open(upgrade: Upgrade): void
  /** Lets calls in flight end, closing each connection behind its last one; at `deadlineMs` cuts the rest. */
  drain(deadlineMs: number): void
}
