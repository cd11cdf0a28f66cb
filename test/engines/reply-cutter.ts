// A proxy to an engine that loses replies: it forwards everything and, on command, closes the connection after a request that
// contains a text, before the reply.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type ReplyCutter = {
  readonly port: number
  /** The next request with this text reaches the engine, but its reply is lost. Resolves after that. */
  cutReplyTo(text: string): Promise<void>
  /** Closes all connections; refuses new ones until `pass`. */
  cut(): void
  pass(): void
  /** Target of new connections from now on. */
  turnTo(port: number): void
  close(): Promise<void>
}

export async function createReplyCutter(enginePort: number): Promise<ReplyCutter> {
  const sockets = new Set<Socket>()
  let watched: { readonly text: string; readonly done: () => void } | null = null
  let refuses = false
  let target = enginePort

  const server = createServer((client) => {
    if (refuses) {
      client.destroy()
      return
    }
    const engine = connect(target, '127.0.0.1')
    let isCut = false
    const end = (): void => {
      client.destroy()
      // The engine has read the request before it notices the disconnect.
      engine.end()
    }
    for (const socket of [client, engine]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      engine.write(bytes)
      if (watched === null || !bytes.includes(watched.text)) return
      isCut = true
      const { done } = watched
      watched = null
      // The reply shows that the engine has executed the request.
      engine.once('data', () => {
        end()
        done()
      })
    })
    engine.on('data', (bytes) => {
      if (!isCut) client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function cut(): void {
    refuses = true
    for (const socket of sockets) socket.destroy()
  }

  return {
    port: (server.address() as AddressInfo).port,
    cutReplyTo: (text) => new Promise((done) => (watched = { text, done })),
    cut,
    pass() {
      refuses = false
    },
    turnTo(port) {
      target = port
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
