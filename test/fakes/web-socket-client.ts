// A WebSocket client for tests: frames in order, the close code, and the reply to a refused upgrade.
import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'

export class WebSocketClient {
  readonly socket: WebSocket
  /** Received texts that `next` has not returned yet. */
  readonly frames: string[] = []
  readonly ended: Promise<{ readonly code: number; readonly reason: string }>
  #wake: () => void = () => {}
  #closed = false
  #nextId = 1

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.frames.push((data as Buffer).toString())
      this.#wake()
    })
    socket.on('error', () => {})
    this.ended = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#closed = true
        this.#wake()
        resolve({ code, reason: reason.toString() })
      })
    })
  }

  /** Returns the next text; rejects if the connection closes first. */
  async next(): Promise<string> {
    while (this.frames.length === 0) {
      if (this.#closed) throw new Error('the connection ended')
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return this.frames.shift() as string
  }

  async nextJson<T = Record<string, unknown>>(): Promise<T> {
    return JSON.parse(await this.next()) as T
  }

  /** Sends one call and returns the next text as its reply. */
  async ask(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: unknown }> {
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id: this.#nextId++, method, params }))
    return await this.nextJson()
  }

  async close(): Promise<void> {
    this.socket.terminate()
    await this.ended
  }
}

/** Resolves when the connection is open; rejects if the upgrade is refused. */
export async function openWebSocket(
  url: string,
  options: ClientOptions = {},
): Promise<WebSocketClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), options)
  const client = new WebSocketClient(socket)
  await once(socket, 'open')
  return client
}

export type RefusedUpgrade = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** The server's reply to a refused upgrade. */
export function refusedUpgrade(url: string, options: ClientOptions = {}): Promise<RefusedUpgrade> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), options)
    socket.on('error', reject)
    socket.on('open', () => {
      socket.terminate()
      reject(new Error('the upgrade was taken'))
    })
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text) => (body += String(text)))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      )
    })
  })
}
