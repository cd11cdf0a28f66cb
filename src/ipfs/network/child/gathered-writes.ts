// Gathers the small writes of one event-loop turn into one system call. libp2p writes each frame as two buffers and acknowledges
// each frame that it reads, up to 32 in one turn. Without this, a fifth of the time of a turn went into system calls with a few
// bytes.
// Tested by src/ipfs/network/child/gathered-writes.test.ts
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'

/** Number of gathered bytes that are written immediately. */
const enoughBytes = 64 * 1024

/** Applies to all sockets that `net` opens or accepts from now on. Call the returned function to stop for new sockets. */
export function gatherWrites(): () => void {
  subscribe('net.client.socket', gatherOfMessage)
  subscribe('net.server.socket', gatherOfMessage)
  return () => {
    unsubscribe('net.client.socket', gatherOfMessage)
    unsubscribe('net.server.socket', gatherOfMessage)
  }
}

function gatherOfMessage(message: unknown): void {
  const { socket } = message as { readonly socket?: unknown }
  if (!(socket instanceof Socket)) return
  // `connect` of a socket restores its method.
  if (socket.pending) socket.once('connect', () => gather(socket))
  else gather(socket)
}

function gather(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  const uncork = (): void => socket.uncork()
  socket.write = (...args: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      setImmediate(uncork)
    }
    const hasRoom = write(...args)
    if (socket.writableLength >= enoughBytes) socket.uncork()
    return hasRoom
  }
}
