// In the keeper: which worker passed on which connection, and which workers are ending.
// Tested by src/http/tunnel.test.ts
import type { Socket } from 'node:net'

export type PassedSockets = {
  add(socket: Socket, worker: number): void
  /** The worker that passed it on is ending, so the connection closes after its next answer. */
  isLeaving(socket: Socket | null): boolean
  /** The worker is ending. Returns its open connections, as they are at each later look. */
  leave(worker: number): ReadonlySet<Socket>
}

export function createPassedSockets(): PassedSockets {
  // A worker leaves the map with its last connection.
  const byWorker = new Map<number, Set<Socket>>()
  const leaving = new WeakSet<ReadonlySet<Socket>>()
  const groupOf = new WeakMap<Socket, ReadonlySet<Socket>>()
  return {
    add(socket, worker) {
      const group = byWorker.get(worker) ?? new Set<Socket>()
      byWorker.set(worker, group.add(socket))
      groupOf.set(socket, group)
      socket.once('close', () => {
        group.delete(socket)
        if (group.size === 0) byWorker.delete(worker)
      })
    },
    isLeaving(socket) {
      const group = socket === null ? undefined : groupOf.get(socket)
      return group !== undefined && leaving.has(group)
    },
    leave(worker) {
      const group = byWorker.get(worker) ?? new Set<Socket>()
      leaving.add(group)
      return group
    },
  }
}
