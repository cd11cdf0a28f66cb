// An upstream on loopback whose responses a test writes directly, to simulate faults of nodes and proxies.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type ReceivedCall = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly headers: IncomingMessage['headers']
  readonly path: string
  /** Number of this request on its socket, from 1. */
  readonly requestNumber: number
}

export type RpcUpstream = AsyncDisposable & {
  readonly url: string
  readonly received: readonly ReceivedCall[]
  /** Number of sockets opened so far. */
  readonly sockets: number
  /** Handles each request; can be replaced at any time. */
  answer: RpcAnswer
}

/** Writes the response; a returned value is sent as the result. */
export type RpcAnswer = (call: ReceivedCall, response: ServerResponse) => unknown

/** Starts one; dispose it. */
export async function startRpcUpstream(answer: RpcAnswer): Promise<RpcUpstream> {
  const received: ReceivedCall[] = []
  const requestCounts = new Map<Socket, number>()
  const server = createServer((request, response) => {
    void respond(request, response)
  })
  server.on('connection', (socket) => requestCounts.set(socket, 0))

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Cairn also tries a WebSocket for pushed heads, which this server lacks.
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (!request.complete) return void response.destroy()
    const call = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedCall
    const requestNumber = (requestCounts.get(request.socket) ?? 0) + 1
    requestCounts.set(request.socket, requestNumber)
    const one = { ...call, headers: request.headers, path: request.url ?? '', requestNumber }
    received.push(one)
    const result = await upstream.answer(one, response)
    if (response.writableEnded || response.headersSent || result === undefined) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }))
  }

  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const { port } = server.address() as AddressInfo
  const upstream: RpcUpstream = {
    url: `http://127.0.0.1:${port}`,
    received,
    get sockets() {
      return requestCounts.size
    },
    answer,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
  return upstream
}

/** Replies with this error object. */
export function errorAnswer(error: Readonly<Record<string, unknown>>, status = 200): RpcAnswer {
  return ({ id }, response) => {
    response.statusCode = status
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
  }
}
