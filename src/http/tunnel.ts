// Passes a connection from a worker to the keeper, byte by byte, because the keeper answers its requests. The connection stays
// there until it closes. No byte of the client is sent before the keeper has taken the connection, so that it can be passed again:
// a keeper that stops or is killed resets connections that it has not accepted yet.
// Tested by src/http/tunnel.test.ts
import { connect, type Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'
import { originLine, takenSign } from './origin-line.ts'

/** Delay between retries while the keeper restarts. */
const againMs = 50

const unavailable = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Length: 25',
  'Retry-After: 1',
  'Connection: close',
  '',
  'this server is restarting',
].join('\r\n')

export type TunnelParts = {
  /** The keeper's socket. */
  readonly path: string
  /** Number of this worker. */
  readonly worker: number
  /** Time limit for a connection that waits for a restarting keeper; then it gets status 503. */
  readonly waitMs: number
  readonly clock: Clock
}

export type Tunnels = {
  /** `socket`: paused, with the bytes of its first request still in it. */
  open(socket: Socket): void
  closeAll(): void
}

export function createTunnels({ path, worker, waitMs, clock }: TunnelParts): Tunnels {
  const open = new Set<Socket>()

  function join(socket: Socket, keeper: Socket): void {
    const end = (): void => {
      socket.destroy()
      keeper.destroy()
    }
    if (socket.destroyed) return end()
    keeper.on('error', end).on('close', () => socket.destroySoon())
    socket.on('error', end).on('close', () => keeper.destroySoon())
    socket.pipe(keeper)
    keeper.pipe(socket)
  }

  function begin(socket: Socket, until: number): void {
    if (socket.destroyed) return
    const keeper = connect({ path, allowHalfOpen: true })
    const refused = (): void => {
      if (clock.monotonic() < until) clock.after(againMs, () => begin(socket, until))
      else {
        socket.write(unavailable)
        socket.destroySoon()
      }
    }
    const destroy = (): void => void keeper.destroy()
    // Each error is followed by `close`.
    keeper
      .on('error', () => {})
      .once('end', destroy)
      .once('close', refused)
    keeper.once('connect', () => {
      keeper.write(originLine({ worker, address: socket.remoteAddress ?? '' }))
    })
    keeper.once('data', (taken: Buffer) => {
      keeper.removeListener('end', destroy).removeListener('close', refused)
      if (taken.length > takenSign.length) keeper.unshift(taken.subarray(takenSign.length))
      join(socket, keeper)
    })
  }

  return {
    open(socket) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      // Until the sockets are joined, each error is followed by `close`, which handles it.
      socket.on('error', () => {})
      socket.pause()
      begin(socket, clock.monotonic() + waitMs)
    },
    closeAll() {
      for (const socket of open) socket.destroy()
    },
  }
}
