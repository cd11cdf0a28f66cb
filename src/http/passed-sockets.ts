// In the keeper: the worker of each passed connection, and the workers that are ending.
// Tested by src/http/tunnel.test.ts
import type { Socket } from 'node:net'

export type PassedSockets = {
  add(socket: Socket, worker: number): void
  /** The worker of this connection is ending, so the connection closes after its next reply. */
  isLeaving(socket: Socket | null): boolean
  /** Marks the worker as ending. Returns a live set of its open connections. */
  leave(worker: number): ReadonlySet<Socket>
}

export function createPassedSockets(): PassedSockets {
  // A worker is removed with its last connection.
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
