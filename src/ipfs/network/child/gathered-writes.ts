// Small writes of one round of the event loop in one system call. libp2p writes each frame as two buffers and acknowledges each
// frame that it reads; a round reads up to 32 times. Without this, a fifth of its time went into calls of a few bytes.
// Tested by src/ipfs/network/child/gathered-writes.test.ts
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'

/** Written at once from so many bytes on. */
const enoughBytes = 64 * 1024

/** Of all sockets that `net` opens or accepts from now on. The returned function leaves further sockets as they are. */
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
