// The WebSocket side of a node on loopback: accepts `eth_subscribe newHeads` and pushes the heads that a test passes.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export type HeadPusher = {
  /** Path and headers of each accepted upgrade. */
  readonly upgrades: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Number of open connections. */
  readonly open: number
  /** Number of their subscriptions. */
  readonly subscribed: number
  /** The reply to a subscription. `refuse`: an error; `silent`: no reply. */
  manner: 'take' | 'refuse' | 'silent'
  push(block: { readonly hash: string; readonly number: bigint }): void
  /** Sends a text unchanged to every connection. */
  send(text: string): void
  /** Closes every connection without a close frame. */
  cut(): void
  /** Resolves when `condition` is true: checked when a connection opens, closes or sends a message. */
  until(condition: () => boolean): Promise<void>
}

/** Accepts upgrades of `server` while `isOn`; otherwise replies 404, as a node without WebSockets. */
export function attachHeadPusher(server: Server, isOn: () => boolean): HeadPusher {
  const sockets = new Map<WebSocket, number>()
  const upgrades: { path: string; headers: IncomingHttpHeaders }[] = []
  const waiting = new Set<() => void>()
  const acceptor = new WebSocketServer({ noServer: true, clientTracking: false })
  let ids = 0
  const wakeAll = (): void => waiting.forEach((wake) => wake())

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    if (!isOn()) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      return
    }
    upgrades.push({ path: request.url ?? '', headers: request.headers })
    acceptor.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.set(webSocket, 0)
      webSocket.on('error', () => {})
      webSocket.on('message', (data) => {
        answer(webSocket, JSON.parse((data as Buffer).toString()) as JsonRpcCall)
        wakeAll()
      })
      webSocket.on('close', () => {
        sockets.delete(webSocket)
        wakeAll()
      })
      wakeAll()
    })
  })
  server.on('close', () => pusher.cut())

  function answer(webSocket: WebSocket, { id, method, params }: JsonRpcCall): void {
    if (pusher.manner === 'silent') return
    const isTaken =
      pusher.manner === 'take' && method === 'eth_subscribe' && params[0] === 'newHeads'
    const reply = isTaken
      ? { result: `0x${(ids += 1).toString(16)}` }
      : { error: { code: -32601, message: 'no such subscription' } }
    if (isTaken) sockets.set(webSocket, ids)
    webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, ...reply }))
  }

  const pusher: HeadPusher = {
    upgrades,
    manner: 'take',
    get open() {
      return sockets.size
    },
    get subscribed() {
      return [...sockets.values()].filter((id) => id > 0).length
    },
    push({ hash, number }) {
      for (const [webSocket, id] of sockets) {
        const result = { hash, number: `0x${number.toString(16)}` }
        const params = { subscription: `0x${id.toString(16)}`, result }
        if (id === 0) continue
        webSocket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
      }
    },
    send: (text) => [...sockets.keys()].forEach((webSocket) => webSocket.send(text)),
    cut: () => [...sockets.keys()].forEach((webSocket) => webSocket.terminate()),
    async until(condition) {
      while (!condition()) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
    },
  }
  return pusher
}

type JsonRpcCall = {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

type StartedPusher = AsyncDisposable & { url: string; isOn: boolean; readonly pusher: HeadPusher }

/** Starts a separate server. Dispose it. */
export async function startHeadPusher(): Promise<StartedPusher> {
  const server = createServer((_request, response) => void response.writeHead(405).end())
  const pusher = attachHeadPusher(server, () => started.isOn)
  const started: StartedPusher = {
    url: '',
    isOn: true,
    pusher,
    async [Symbol.asyncDispose]() {
      pusher.cut()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  started.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  return started
}
