// Passes a connection to another worker if the process that it was sent to ended before it took it. node:cluster waits for the reply
// of that process, so the connection would stay open without an owner, and its client would wait forever.
// Tested by test/server/workers.test.ts
import type { ChildProcess } from 'node:child_process'

type Handle = { close(): void }
/** Messages of node:cluster (lib/internal/cluster/utils.js): a connection, and the reply to it by number. */
type ClusterMessage = {
  readonly cmd?: string
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/** `child`: a worker of node:cluster. `hasOthers`: another worker listens, so that node:cluster has a place for its connections. */
export function passUntakenConnections(child: ChildProcess, hasOthers: () => boolean): void {
  /** By number of the message. */
  const sent = new Map<number, Handle>()
  const send = child.send.bind(child) as (...parts: readonly unknown[]) => boolean
  child.send = (message: ClusterMessage, ...rest: readonly unknown[]): boolean => {
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined) {
      sent.set(message.seq, rest[0] as Handle)
    }
    return send(message, ...rest)
  }
  child.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) sent.delete(ack)
  })
  let isDisconnected = false
  child.once('disconnect', () => (isDisconnected = true))
  // After the last message of the process.
  child.once('close', () => {
    // Node omits this event while a connection is on its way, and node:cluster then sends the process further ones.
    if (!isDisconnected) child.emit('disconnect')
    for (const [ack, handle] of sent) {
      // As a worker replies that no longer listens.
      const reply = { cmd: 'NODE_CLUSTER', ack, accepted: false }
      if (hasOthers()) child.emit('internalMessage', reply)
      else handle.close()
    }
    sent.clear()
  })
}
