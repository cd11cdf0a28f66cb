// Maps each TLS connection to its TCP connection. node:tls reports both, but not their relation; they have the same pair of
// addresses. Limits count TCP connections, which exist before the handshake; requests arrive on TLS connections.
// Tested by src/http/server.test.ts
import type { Socket } from 'node:net'

export type SecureSockets = {
  /** A TCP connection was opened and its handshake begins. */
  opened(raw: Socket): void
  /** A handshake has ended with this TLS connection. */
  secured(socket: Socket): void
  /** The TCP connection of a TLS connection; any other socket itself. */
  rawOf(socket: Socket): Socket
}

export function createSecureSockets(): SecureSockets {
  // Bounded by the limit of connections and the time limit of a handshake.
  const shaking = new Map<string, Socket>()
  const raws = new WeakMap<Socket, Socket>()
  return {
    opened(raw) {
      const pair = pairOf(raw)
      shaking.set(pair, raw)
      raw.once('close', () => {
        if (shaking.get(pair) === raw) shaking.delete(pair)
      })
    },
    secured(socket) {
      const pair = pairOf(socket)
      const raw = shaking.get(pair)
      if (raw === undefined) return
      shaking.delete(pair)
      raws.set(socket, raw)
    },
    rawOf: (socket) => raws.get(socket) ?? socket,
  }
}

function pairOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
}
