// A worker passes connections to the keeper without effect for the client, and a restart of the keeper loses no request.
import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { request, Agent } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFakeGateway, goodKey } from '../../test/fakes/gateway.ts'
import { RawConnection, sendRaw } from '../../test/fakes/raw-http.ts'
import { type RpcServer, startRpcServer } from '../../test/fakes/rpc-server.ts'
import { WebSocketClient } from '../../test/fakes/web-socket-client.ts'
import { systemClock } from '../base/clock.ts'
import { createTunnels } from './tunnel.ts'

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

type Pair = {
  readonly path: string
  readonly worker: RpcServer
  startKeeper(): Promise<RpcServer>
}

/** A worker that answers the calls of the path `/v3/`, and passes everything else to the keeper. */
async function startPair(t: TestContext, waitMs = 10_000): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'keeper')
  const tunnels = createTunnels({ path, worker: 7, waitMs, clock: systemClock })
  const worker = await startRpcServer({
    share: {
      serves: ({ rpcPath }) => rpcPath.network === null,
      accepts: (first) => first.toString('latin1').startsWith('OPTIONS /v3/'),
      pass: tunnels.open,
      closePassed: tunnels.closeAll,
    },
  })
  t.after(() => worker.stop())
  return {
    path,
    worker,
    async startKeeper() {
      const keeper = await startRpcServer({ isKeeper: true, where: { path } })
      t.after(() => keeper.stop())
      return keeper
    },
  }
}

type Reply = { readonly status: number; readonly body: string; readonly closes: boolean }

function send(
  port: number,
  path: string,
  { method = 'POST', body = call, agent = new Agent() } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += String(part)))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text,
          closes: response.headers.connection === 'close',
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('one connection brings calls for the worker, then requests for the keeper, then calls', async (t) => {
  const { worker, startKeeper } = await startPair(t)
  const keeper = await startKeeper()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const { port } = worker
  equal((await send(port, `/v3/${goodKey}`, { agent })).status, 200)
  equal(worker.server.connections, 1)
  equal(keeper.server.connections, 0)
  equal((await send(port, '/livez', { method: 'GET', body: '', agent })).status, 200)
  equal(keeper.server.connections, 1)
  equal((await send(port, `/dev/v3/${goodKey}`, { agent })).status, 200)
  equal((await send(port, `/v3/${goodKey}`, { agent })).status, 200)
  equal(worker.server.connections, 1)
})

test('the worker answers a request that it takes, and closes the connection after it', async (t) => {
  const { worker } = await startPair(t)
  const reply = await send(worker.port, `/v3/${goodKey}`, { method: 'OPTIONS', body: '' })
  deepEqual([reply.status, reply.closes], [204, true])
})

test('the keeper sees the address of the client', async (t) => {
  const { path } = await startPair(t)
  const gateway = createFakeGateway()
  const seen: string[] = []
  const { authenticateRpc } = gateway
  gateway.authenticateRpc = (credential, network) => {
    seen.push(credential.address ?? '')
    return authenticateRpc(credential, network)
  }
  const keeper = await startRpcServer({ gateway, isKeeper: true, where: { path } })
  t.after(() => keeper.stop())
  const socket = connect(path)
  socket.write(
    `cairn 7 192.0.2.9\nPOST /v3/${goodKey} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${call.length}\r\n\r\n${call}`,
  )
  let text = ''
  for await (const part of socket) text += String(part)
  match(text, /^\nHTTP\/1.1 200 /)
  deepEqual(seen, ['192.0.2.9'])
})

for (const [what, first] of [
  ['no line', 'GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a long line', 'x'.repeat(200)],
  ['an address that is none', 'cairn 7 nowhere\nGET /livez HTTP/1.1\r\nhost: a\r\n\r\n'],
] as const) {
  test(`the keeper closes a connection that begins with ${what}`, async (t) => {
    const { path, startKeeper } = await startPair(t)
    const keeper = await startKeeper()
    const socket = connect(path)
    socket.write(first)
    let text = ''
    for await (const part of socket) text += String(part)
    equal(text, '')
    equal(keeper.server.connections, 0)
  })
}

test('requests wait for a keeper that restarts', async (t) => {
  const { worker, startKeeper } = await startPair(t)
  const reply = send(worker.port, `/dev/v3/${goodKey}`)
  const other = await send(worker.port, `/v3/${goodKey}`)
  equal(other.status, 200)
  await startKeeper()
  equal((await reply).status, 200)
})

test('a keeper that ends before it takes a connection loses no request', async (t) => {
  const { path, worker, startKeeper } = await startPair(t)
  // As the operating system does with connections that a process has not accepted when it ends.
  const ending = createServer((socket) => {
    socket.destroy()
    ending.close()
  })
  await new Promise<void>((resolve) => ending.listen(path, resolve))
  const closed = new Promise((resolve) => ending.once('close', resolve))
  const reply = send(worker.port, `/dev/v3/${goodKey}`)
  await closed
  await startKeeper()
  equal((await reply).status, 200)
})

test('without a keeper a request is answered with status 503 when its time is over', async (t) => {
  const { worker } = await startPair(t, 0)
  match(
    await sendRaw(worker.port, `GET /livez HTTP/1.1\r\nhost: a\r\n\r\n`),
    /^HTTP\/1.1 503 [^]*this server is restarting$/,
  )
})

test('a client that leaves while it waits is forgotten when its time is over', async (t) => {
  const { worker } = await startPair(t, 100)
  const left = new RawConnection(worker.port)
  left.socket.write('GET /livez HTTP/1.1\r\nhost: a\r\n\r\n')
  await new Promise((resolve) => left.socket.once('connect', resolve))
  left.socket.destroy()
  while (worker.server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
})

test('connections of a worker that ends are drained in the keeper', async (t) => {
  const { worker, startKeeper } = await startPair(t)
  const keeper = await startKeeper()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const alone = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => alone.destroy())
  const options = { method: 'GET', body: '' }
  equal((await send(worker.port, '/livez', { ...options, agent })).closes, false)
  equal((await send(worker.port, '/livez', { ...options, agent: alone })).closes, false)
  const { WebSocket } = await import('ws')
  const socket = new WebSocketClient(
    new WebSocket(`ws://127.0.0.1:${worker.port}/ws/v3/${goodKey}`),
  )
  await new Promise((resolve) => socket.socket.once('open', resolve))
  keeper.server.drainWorker(8, { graceMs: 0, deadlineMs: 10_000 })
  equal((await send(worker.port, '/livez', { ...options, agent })).closes, false)
  keeper.server.drainWorker(7, { graceMs: 1000, deadlineMs: 10_000 })
  equal((await socket.ended).code, 1012)
  equal((await send(worker.port, '/livez', { ...options, agent })).closes, true)
  // The other connection is idle.
  while (keeper.server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
  while (worker.server.connections > 0) await new Promise((resolve) => setImmediate(resolve))
})
