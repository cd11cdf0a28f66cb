// At most so many connections from one address: with only a global cap, one slow address shuts all others out.
import type { Socket } from 'node:net'
import { networkOf } from '../base/address.ts'

/**
 * Counts a new connection; cuts it, and gives false, when it is over `connectionsMax` from the same address. `exempts`:
 * addresses that stand for many callers.
 */
export function createAddressCap(
  connectionsMax: number,
  exempts: (address: string) => boolean = () => false,
): (socket: Pick<Socket, 'remoteAddress' | 'once' | 'destroy'>) => boolean {
  // Bounded by the server's global cap: an address leaves with its last connection.
  const open = new Map<string, number>()
  return (socket) => {
    const peer = socket.remoteAddress ?? ''
    if (exempts(peer)) return true
    const address = networkOf(peer)
    const count = (open.get(address) ?? 0) + 1
    if (count > connectionsMax) {
      socket.destroy()
      return false
    }
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    return true
  }
}
