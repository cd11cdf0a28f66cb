import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createFakeGateway, goodKey } from '../../test/fakes/gateway.ts'
import { RawConnection, sendRaw } from '../../test/fakes/raw-http.ts'
import { type RpcServer, startRpcServer } from '../../test/fakes/rpc-server.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { createRoutes } from '../server/open-endpoints.ts'
import { createServer, defaultServerSettings } from './server.ts'

const call = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const answer = '{"jsonrpc":"2.0","id":1,"result":"0x539"}'
const path = `/v3/${goodKey}`

function post(headers: string, body = call, target = path): string {
  return `POST ${target} HTTP/1.1\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

suite('a hostile or odd request over a raw socket', () => {
  let started: RpcServer
  before(async () => {
    started = await startRpcServer()
  })
  after(() => started.stop())

  const length = `content-length: ${call.length}\r\n`
  const probes: readonly (readonly [name: string, request: string, reply: RegExp])[] = [
    ['an ordinary call is answered', post('host: a\r\n'), /^HTTP\/1.1 200 /],
    [
      'two Hosts are refused',
      post('host: a\r\nHost: a\r\n'),
      /^HTTP\/1.1 400 [^]*exactly one Host/,
    ],
    ['no Host is refused', post(''), /^HTTP\/1.1 400 /],
    ['a malformed Host is refused', post('host: a b\r\n'), /^HTTP\/1.1 400 /],
    [
      'two Authorizations are refused',
      post('host: a\r\nauthorization: Basic OmE=\r\nAuthorization: Basic OmE=\r\n'),
      /^HTTP\/1.1 400 [^]*at most one Authorization/,
    ],
    [
      'an absolute target of another authority is refused',
      post('host: a\r\n', call, `http://b${path}`),
      /^HTTP\/1.1 400 [^]*another authority/,
    ],
    [
      'an absolute target with a user name is refused',
      post('host: a\r\n', call, `http://x@a${path}`),
      /^HTTP\/1.1 400 /,
    ],
    [
      'an absolute target of the same authority is answered',
      post('host: a:1\r\n', call, `http://A:1${path}`),
      /^HTTP\/1.1 200 /,
    ],
    [
      'length and chunks together are refused',
      `POST ${path} HTTP/1.1\r\nhost: a\r\n${length}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'two lengths are refused',
      `POST ${path} HTTP/1.1\r\nhost: a\r\n${length}content-length: 1\r\n\r\n${call}`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a signed length is refused',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: +4\r\n\r\nnull`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'bare line feeds are refused',
      `POST ${path} HTTP/1.1\nhost: a\n${length}\n${call}`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a blank before the colon is refused',
      `POST ${path} HTTP/1.1\r\nhost : a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      '20 kB of header are refused',
      post(`host: a\r\nx: ${'x'.repeat(20_000)}\r\n`),
      /^HTTP\/1.1 431 /,
    ],
    [
      'dots in a path lead nowhere',
      post('host: a\r\n', call, '/v3/../../etc/passwd'),
      /^HTTP\/1.1 404 /,
    ],
    [
      'an unknown path is a text 404',
      post('host: a\r\n', call, '/nope'),
      /^HTTP\/1.1 404 [^]*404 page not found\n$/,
    ],
    [
      'a chunked body is answered',
      `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${Array.from(call, (c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`,
      /^HTTP\/1.1 200 [^]*"result":"0x539"}$/,
    ],
    [
      'a body held back is asked for when it may come',
      post('host: a\r\nexpect: 100-continue\r\n'),
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    ],
    [
      'a body held back by a stranger is not asked for',
      `POST /v3/unknown_key_1 HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\n${length}\r\n`,
      /^HTTP\/1.1 401 [^]*connection: close/i,
    ],
  ]
  for (const [name, request, reply] of probes) {
    test(name, async () => match(await sendRaw(started.port, request), reply))
  }

  test('the process still answers after all of them', async () => {
    const response = await fetch(started.url + path, {
      method: 'POST',
      body: call,
      headers: { 'content-type': 'application/json' },
    })
    equal(await response.text(), answer)
  })

  test('pages are for GET and HEAD, show no key and load nothing', async () => {
    const page = await fetch(started.url + '/')
    match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'sha256-/,
    )
    match(await page.text(), /\/v3\/&lt;API_KEY&gt;[^]*\/api\/v0\/add/)
    deepEqual(
      await Promise.all(
        ['/livez', '/readyz'].map(async (at) => (await fetch(started.url + at)).json()),
      ),
      [{ status: 'live' }, { status: 'ready' }],
    )
    equal((await fetch(started.url + '/livez', { method: 'POST' })).status, 405)
    equal(await (await fetch(started.url + '/', { method: 'HEAD' })).text(), '')
  })

  test('a request id is taken over when well formed, else made', async () => {
    const id = async (requestId: string) =>
      (await fetch(started.url + '/livez', { headers: { 'x-request-id': requestId } })).headers.get(
        'x-request-id',
      )
    equal(await id('abc_1-2'), 'abc_1-2')
    const [one, other] = [await id('a b'), await id('a b')]
    match(one ?? '', /^[A-Za-z0-9_-]{12}-[0-9a-z]+$/)
    equal(one === other, false)
  })

  test('a port in use is named in one sentence', async () => {
    const other = createServer({
      settings: defaultServerSettings,
      routes: createRoutes({
        rpc: () => {},
        files: () => {},
        paths: () => {},
        ready: () => true,
        networks: () => [],
      }),
      clock: systemClock,
      log: silentLog,
    })
    await rejects(other.listen({ host: '127.0.0.1', port: started.port }), {
      message: `cannot listen on 127.0.0.1:${started.port}: another program uses this port, stop it or choose another port`,
    })
  })
})

function failOf(requestId: string): Promise<void> {
  if (requestId === 'now') throw new TypeError('a bug')
  return Promise.reject(new TypeError('a bug'))
}

test('a handler that fails is a 500 that names the request, and the server lives', async () => {
  const server = createServer({
    settings: defaultServerSettings,
    routes: createRoutes({
      rpc: ({ requestId }) => failOf(requestId),
      files: ({ requestId }) => failOf(requestId),
      paths: ({ requestId }) => failOf(requestId),
      ready: () => true,
      networks: () => [],
    }),
    clock: systemClock,
    log: silentLog,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  try {
    for (const target of ['/v3/some_key', '/api/v0/version', '/ipfs/bafkqaaa']) {
      for (const id of ['now', 'later']) {
        const response = await fetch(`http://127.0.0.1:${port}${target}`, {
          method: 'POST',
          body: '{}',
          headers: { 'x-request-id': id },
        })
        equal(response.status, 500)
        equal(response.headers.get('x-request-id'), id)
        equal(await response.text(), 'internal error\n')
      }
    }
  } finally {
    await server.drain({ graceMs: 0, deadlineMs: 0 })
  }
})

test('connections over the limit of one address are closed while the others are at work', async () => {
  for (const listener of ['lean', 'node'] as const) {
    let finish: (value: string) => void = () => {}
    let begun: () => void = () => {}
    const running = new Promise<void>((resolve) => (begun = resolve))
    const gateway = createFakeGateway({
      slow: () =>
        new Promise((resolve) => {
          finish = resolve
          begun()
        }),
    })
    const server = { listener, connectionsPerAddressMax: 1 }
    const started = await startRpcServer({ gateway, server })
    const first = new RawConnection(started.port)
    const body = '{"jsonrpc":"2.0","id":1,"method":"slow"}'
    first.socket.write(post(`host: a\r\n`, body).replace('connection: close\r\n', ''))
    await running
    const get = 'GET /livez HTTP/1.1\r\nhost: a\r\n\r\n'
    equal(await sendRaw(started.port, get), '')
    finish('done')
    await first.until('done')
    // Now idle, so the server closes it for a new connection.
    const second = new RawConnection(started.port)
    second.socket.write(get)
    await second.until('live')
    await first.end()
    second.socket.destroy()
    await started.stop()
  }
})

test('a drain answers what is in flight and what still comes, then closes idle connections', async () => {
  const clock = createManualClock()
  let finish: (value: string) => void = () => {}
  let begun: () => void = () => {}
  const running = new Promise<void>((resolve) => (begun = resolve))
  const gateway = createFakeGateway({
    slow: () =>
      new Promise((resolve) => {
        finish = resolve
        begun()
      }),
  })
  const started = await startRpcServer({ gateway, clock })
  const get = 'GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n'
  const [idle, late, busy] = [0, 1, 2].map(() => new RawConnection(started.port)) as [
    RawConnection,
    RawConnection,
    RawConnection,
  ]
  for (const connection of [idle, late]) {
    connection.socket.write(get)
    await connection.until('ready"')
  }
  const slow = '{"jsonrpc":"2.0","id":1,"method":"slow"}'
  busy.socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${slow.length}\r\n\r\n${slow}`,
  )
  await running

  const drained = started.server.drain({ graceMs: 1_000, deadlineMs: 10_000 })
  equal(await sendRaw(started.port, get), '', 'no new connection is taken')
  late.socket.write(get)
  match(await late.end(), /HTTP\/1.1 503 [^]*connection: close[^]*draining/i)
  ok(!idle.closed, 'an idle connection lives for the grace period')
  clock.advance(1_000)
  await idle.end()
  ok(!busy.closed)
  finish('0x1')
  match(await busy.end(), /HTTP\/1.1 200 [^]*connection: close[^]*"result":"0x1"}$/i)
  await drained
})

test('a drain ends at its deadline whatever is in flight', async () => {
  const clock = createManualClock()
  const started = await startRpcServer({ clock })
  const silent = new RawConnection(started.port)
  silent.socket.write(
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n`,
  )
  await silent.until('100 Continue')
  const drained = started.server.drain({ graceMs: 10, deadlineMs: 20 })
  clock.advance(20)
  await drained
  await silent.end()
})

test('near the cap on connections those that were idle longest give way to a new one', async () => {
  for (const listener of ['lean', 'node'] as const) {
    const started = await startRpcServer({ server: { listener, connectionsMax: 16 } })
    const connections: RawConnection[] = []
    try {
      const request = async (connection: RawConnection) => {
        const request = post('host: a\r\n').replace('connection: close\r\n', '')
        connection.socket.write(request)
        match(await connection.until('0x539"}'), /200 OK/)
      }
      for (let n = 0; n < 32; n++) {
        const connection = new RawConnection(started.port)
        connections.push(connection)
        await request(connection)
      }
      // The newest connection stays open; the server closed the older ones.
      await request(connections.at(-1) as RawConnection)
      ok(connections[0]?.socket.closed === true || connections[0]?.socket.readyState !== 'open')
    } finally {
      for (const { socket } of connections) socket.destroy()
      await started.stop()
    }
  }
})
