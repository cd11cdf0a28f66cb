import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { type JsonRpcClient, createJsonRpcClient } from './json-rpc-client.ts'
import { UpstreamError } from './upstream-error.ts'

const never = new AbortController().signal
const read = { repeatable: true }

type ReceivedRequest = {
  readonly socket: Socket
  readonly id: number
  readonly method: string
  turn: number
}

/** Reports each request with its id and the number of requests before it; replies only through `onRequest`. */
async function startUpstream(onRequest: (request: ReceivedRequest) => void) {
  let turn = 0
  let opened = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    opened += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (bytes: Buffer) => {
      const { id, method } = JSON.parse(
        bytes.toString().split('\r\n\r\n')[1] ?? '',
      ) as ReceivedRequest
      onRequest({ socket, id, method, turn: turn++ })
    })
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    get opened() {
      return opened
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

/** Its timers never fire, because the clock does not advance. */
function clientOf(url: string, connections = 1): JsonRpcClient & AsyncDisposable {
  const client = createJsonRpcClient({
    url,
    headers: {},
    connections,
    timeoutMs: 5_000,
    replyBytesMax: 50_000,
    clock: createManualClock(),
  })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

function reply(id: number, header = ''): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: id })
  return `HTTP/1.1 200 OK\r\n${header}content-length: ${body.length}\r\n\r\n${body}`
}

test('callers that leave the queue release their connection', async () => {
  const received = Promise.withResolvers<ReceivedRequest>()
  await using upstream = await startUpstream((one) => {
    if (one.turn === 0) received.resolve(one)
    else one.socket.end(reply(one.id, 'connection: close\r\n'))
  })
  await using client = clientOf(upstream.url)
  const leaver = new AbortController()
  const first = client.call('eth_first', [], read, never)
  const left = Array.from({ length: 5 }, () => client.call('eth_left', [], read, leaver.signal))
  const last = client.call('eth_last', [], read, never)
  leaver.abort(new Error('gone'))
  for (const one of left) await assert.rejects(one, /gone/)
  const { socket, id } = await received.promise
  socket.end(reply(id, 'connection: close\r\n'))
  assert.equal(await first, 1)
  assert.equal(await last, 7)
  for (let i = 8; i < 12; i++) assert.equal(await client.call('eth_more', [], read, never), i)
  assert.equal(upstream.opened, 6)
})

test('a duplicate reply fails the call that it is matched to, and no later one', async () => {
  const script: ((request: ReceivedRequest) => void)[] = []
  await using upstream = await startUpstream((request) => {
    const next = script.shift()
    if (next === undefined) request.socket.write(reply(request.id))
    else next(request)
  })
  await using client = clientOf(upstream.url)
  // The client reads the second copy after it sent the second request, and before the reply to that request.
  script.push(({ socket, id }) => socket.write(reply(id)))
  script.push(({ socket, id }) => socket.write(reply(id - 1), () => socket.write(reply(id))))
  assert.equal(await client.call('eth_a', [], read, never), 1)
  const second = client.call('eth_b', [], read, never)
  await assert.rejects(second, /a reply with another id/)
  for (let i = 3; i < 6; i++) assert.equal(await client.call('eth_c', [], read, never), i)
  assert.equal(upstream.opened, 2)
})

test('a response without a body ends with its head, even if its headers announce chunks', async () => {
  for (const status of [204, 304]) {
    await using upstream = await startUpstream(({ socket }) => {
      socket.write(`HTTP/1.1 ${status} None\r\ntransfer-encoding: chunked\r\n\r\n`)
    })
    await using client = clientOf(upstream.url)
    const call = client.call('eth_test', [], read, never)
    await assert.rejects(call, (error) => {
      return error instanceof UpstreamError && error.status === status
    })
  }
})

test('a chunked response over HTTP/1.0 is read', async () => {
  await using upstream = await startUpstream(({ socket, id }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: 'chunks' })
    const head = 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n'
    socket.write(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
  })
  await using client = clientOf(upstream.url)
  for (let i = 0; i < 2; i++) assert.equal(await client.call('eth_a', [], read, never), 'chunks')
})

test('a literal percent sign in a password is sent unchanged', async () => {
  const received = Promise.withResolvers<string>()
  const server = createServer((socket) => {
    socket.once('data', (bytes) => {
      received.resolve(bytes.toString())
      socket.end(reply(1))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await using client = clientOf(`http://us%40er:50%off@127.0.0.1:${port}`)
  assert.equal(await client.call('eth_a', [], read, never), 1)
  const pair = Buffer.from('us@er:50%off').toString('base64')
  assert.ok((await received.promise).includes(`authorization: Basic ${pair}\r\n`))
  await new Promise((resolve) => server.close(resolve))
})

test('thousands of calls that fail in every way leak no connection and no queue slot', async () => {
  const ways: readonly string[] = [
    '',
    'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nxx',
    'HTTP/1.1 200 OK\r\n',
    'junk\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffff\r\n${'x'.repeat(70_000)}`,
    'HTTP/1.1 100 Continue\r\n\r\n',
    reply(0),
  ]
  let isGood = false
  await using upstream = await startUpstream(({ socket, id, turn }) => {
    const way = turn % (ways.length + 1)
    if (isGood) socket.write(reply(id))
    else if (way === ways.length) socket.resetAndDestroy()
    else socket.end(ways[way] ?? '')
  })
  await using client = clientOf(upstream.url, 8)
  const caller = async () => {
    for (let i = 0; i < 200; i++) {
      const leaver = new AbortController()
      if (i % 5 === 0) setImmediate(() => leaver.abort(new Error('gone')))
      await assert.rejects(client.call('eth_a', [], { repeatable: i % 2 === 0 }, leaver.signal))
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  isGood = true
  const calls = Array.from({ length: 32 }, () => client.call('eth_a', [], read, never))
  assert.equal((await Promise.all(calls)).length, 32)
  for (let i = 0; i < 1000 && upstream.sockets.size > 8; i++) await new Promise(setImmediate)
  assert.ok(upstream.sockets.size <= 8, String(upstream.sockets.size))
})
