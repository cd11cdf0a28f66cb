// Bounds the connections from one address: with a limit for all addresses alone, one slow address shuts all others out.
import type { Socket } from 'node:net'
import { networkOf } from '../base/address.ts'

/**
 * Counts a new connection. Over `connectionsMax` from the same address `makeRoom` closes idle ones of that address and
 * gives them; where it gives none, the new connection is cut, and the answer is false. `exempts`: addresses that stand
 * for many clients.
 */
export function createAddressCap(
  connectionsMax: number,
  exempts: (address: string) => boolean = () => false,
  makeRoom: (open: ReadonlySet<Socket>) => readonly Socket[] = () => [],
): (socket: Socket) => boolean {
  // Bounded by the limit for all addresses: an address leaves with its last connection.
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
    const held = open.get(address)
    if (held !== undefined && held.size >= connectionsMax) {
      const closed = makeRoom(held)
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
