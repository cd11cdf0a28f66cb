import assert from 'node:assert/strict'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { tlsCertificate, tlsKey } from '../../../../test/fakes/people/tls-identity.ts'
import { systemClock } from '../../../base/clock.ts'
import { openConnections } from './json-rpc-client.ts'
import { UpstreamExchange, type ExchangeOwner } from './exchange.ts'

const never = new AbortController().signal
const headBytesMax = 16 * 1024

/** Writes `pieces` for the first request, a good response for each later one. */
async function startScripted() {
  const script: { pieces: readonly string[]; ends: boolean } = { pieces: [], ends: false }
  let requestCount = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => void write(socket))
  })

  async function write(socket: Socket): Promise<void> {
    requestCount += 1
    if (requestCount > 1) return void socket.write(good('second'))
    for (const piece of script.pieces) {
      await new Promise((resolve) => socket.write(piece, 'latin1', resolve))
      await new Promise(setImmediate)
    }
    if (script.ends) socket.end()
  }

  await listen(server)
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    next(pieces: readonly string[], ends: boolean) {
      requestCount = 0
      script.pieces = pieces
      script.ends = ends
    },
    get connections() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await closed(server)
    },
  }
}

async function listen(server: Server): Promise<void> {
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
}

async function closed(server: Server): Promise<void> {
  const done = Promise.withResolvers<void>()
  server.close(() => done.resolve())
  await done.promise
}

function good(body: string): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

type Client = { request(body?: string): Promise<string>; close(): Promise<void> }

/** `<status> <body>`, or `failed`. */
function clientOf(url: URL, bodyBytesMax = 1024): Client {
  const owner: ExchangeOwner = {
    bufferedBytes: 0,
    bufferedBytesMax: 10_000,
    queuedCalls: 0,
    queuedCallsMax: 16,
    dispatch: (exchange) => connections.dispatch(exchange),
    now: () => systemClock.now(),
  }
  const connections = openConnections(
    url,
    {},
    { connections: 1, connectMs: 5_000, silenceMs: 30_000, replyBytesMax: bodyBytesMax },
  )
  return {
    async request(body = '{}') {
      const request = { body, replyBytesMax: bodyBytesMax, mayRepeat: false }
      const exchange = new UpstreamExchange(owner, request, never)
      exchange.send()
      const outcome = await exchange.response.then(
        (response) => `${response.status} ${response.body}`,
        () => 'failed',
      )
      assert.deepEqual([owner.bufferedBytes, owner.queuedCalls], [0, 0])
      return outcome
    },
    close: () => connections.close(),
  }
}

/** The outcome of the first request and of the next one. */
async function outcomeOf(
  pieces: readonly string[],
  ends = false,
  bodyBytesMax?: number,
): Promise<readonly string[]> {
  await using server = await startScripted()
  server.next(pieces, ends)
  const client = clientOf(server.url, bodyBytesMax)
  try {
    return [await client.request(), await client.request()]
  } finally {
    await client.close()
  }
}

const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const plain: readonly (readonly [bytes: string, outcome: string, ends?: boolean])[] = [
  [good('"one"'), '200 "one"'],
  [good(''), '200 '],
  [`HTTP/1.1 503 Busy\r\nDate: now\r\nContent-Length:   3\r\nX-Any: \xe9 \r\n\r\nno!`, '503 no!'],
  [`${chunked}3\r\nabc\r\n0a;why="x"\r\n0123456789\r\n0\r\n\r\n`, '200 abc0123456789'],
  [`${chunked}3\r\nabc\r\n0\r\ntrailer: yes\r\n\r\n`, '200 abc'],
  [`HTTP/1.1 103 Early\r\nlink: x\r\n\r\n${good('late')}`, '200 late'],
  [`${head}connection: close\r\n\r\nto the end`, '200 to the end', true],
  [`HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold`, '200 old'],
  [`HTTP/1.1 204 None\r\n\r\n`, '204 '],
  [`HTTP/1.1 204 None\r\ncontent-length: 3\r\n\r\nxyz`, '204 '],
  [`${head}keep-alive: timeout=1\r\ncontent-length: 5\r\n\r\nshort`, '200 short'],
]

test('plain responses are read, split at any byte, and the next request is answered', async () => {
  await using server = await startScripted()
  for (const [bytes, outcome, ends = false] of plain) {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      server.next([bytes.slice(0, cut), bytes.slice(cut)], ends)
      const client = clientOf(server.url)
      const outcomes = [await client.request(), await client.request()]
      await client.close()
      const where = `${JSON.stringify(bytes)} cut at ${cut}`
      assert.deepEqual(outcomes, [outcome, '200 second'], where)
    }
  }
})

/** Responses without framing, or with two kinds of framing. */
const odd: readonly string[] = [
  '',
  'SMTP hello\r\n\r\n',
  'HTTP/1.1 99 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 2000 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1  200 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 101 Switch\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  `HTTP/1.1 100 Continue\r\n\r\n${good('late')}`,
  'HTTP/1.1 200 OK\ncontent-length: 1\n\nx',
  `${head}content-length: 2\r\n\r\nx`,
  `${head}content-length: -1\r\n\r\nx`,
  `${head}content-length: +1\r\n\r\nx`,
  `${head}content-length: 1 1\r\n\r\nx`,
  `${head}content-length: 0x1\r\n\r\nx`,
  `${head}content-length: 1,1\r\n\r\nx`,
  `${head}content-length: 1 \r\n\r\nx`,
  `${head}content-length:\r\n\r\nx`,
  `${head}content-length: 99999999999999999999\r\n\r\nx`,
  `${head}content-length: 1\r\ncontent-length: 1\r\n\r\nx`,
  `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nxy`,
  `${head}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${head}transfer-encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  `${head}transfer-encoding: chunked, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  `${head}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  `${head}transfer-encoding: identity\r\ncontent-length: 1\r\n\r\nx`,
  `${head}content-encoding: gzip\r\ncontent-length: 1\r\n\r\nx`,
  `${head}content-length : 1\r\n\r\nx`,
  `${head} content-length: 1\r\n\r\nx`,
  `${head}x: 1\r\n content-length: 1\r\n\r\nx`,
  `${head}x\r\ncontent-length: 1\r\n\r\nx`,
  `${head}x: \x01\r\ncontent-length: 1\r\n\r\nx`,
  `${head}x: a\rcontent-length: 1\r\n\r\nx`,
  `${head}x: a\ncontent-length: 1\r\n\r\nx`,
  `${head}x: ${'y'.repeat(headBytesMax)}\r\ncontent-length: 1\r\n\r\nx`,
  `${chunked}1\r\nxy\r\n0\r\n\r\n`,
  `${chunked}1\nx\n0\n\n`,
  `${chunked}-1\r\nx\r\n0\r\n\r\n`,
  `${chunked}0x1\r\nx\r\n0\r\n\r\n`,
  `${chunked}1 x\r\nx\r\n0\r\n\r\n`,
  `${chunked}g\r\nx\r\n0\r\n\r\n`,
  `${chunked}\r\nx\r\n0\r\n\r\n`,
  `${chunked}fffffffffffffffff\r\nx\r\n0\r\n\r\n`,
  `${chunked}1\r\nx\r\n`,
  `${chunked}1\r\nx\r\n0\r\n${`t: ${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n`,
]

/** The response in one piece, in halves, and with its first 200 bytes one by one. */
function cutsOf(bytes: string): readonly (readonly string[])[] {
  const middle = Math.floor(bytes.length / 2)
  return [
    [bytes],
    [bytes.slice(0, middle), bytes.slice(middle)],
    [...Array.from(bytes.slice(0, 200)), bytes.slice(200)],
  ]
}

test('a malformed response, or one framed in two ways, is no response', async () => {
  for (const bytes of odd) {
    for (const pieces of cutsOf(bytes)) {
      const [first] = await outcomeOf(pieces, true)
      assert.equal(first, 'failed', JSON.stringify(bytes.slice(0, 300)))
    }
  }
})

test('bytes after a response do not become part of the next one', async () => {
  const responses = [
    `${good('first')}${good('smuggled')}`,
    `${good('first')}x`,
    `${chunked}5\r\nfirst\r\n0\r\n\r\n${good('smuggled')}`,
    `HTTP/1.1 204 None\r\ncontent-length: 40\r\n\r\n${good('smuggled')}`,
  ]
  for (const bytes of responses) {
    for (const pieces of cutsOf(bytes)) {
      const [first, second] = await outcomeOf(pieces)
      assert.match(first ?? '', /^(200 first|204 )$/)
      assert.notEqual(second, '200 smuggled')
    }
  }
})

test('a body in a thousand pieces is read whole, and one beyond the cap is refused', async () => {
  const pieces = Array.from({ length: 1000 }, () => '1\r\nx\r\n').join('')
  const bytes = `${chunked}${pieces}0\r\n\r\n`
  assert.equal((await outcomeOf([bytes]))[0], `200 ${'x'.repeat(1000)}`)
  assert.equal((await outcomeOf([bytes], false, 999))[0], 'failed')
})

test('a connection that was idle for too long is not used again', async (t) => {
  await using server = await startScripted()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const [line, ms] of [
    ['', 4_000],
    ['keep-alive: timeout=10\r\n', 8_000],
  ] as const) {
    const opened = server.connections
    server.next([`${head}${line}content-length: 5\r\n\r\nfirst`], false)
    const client = clientOf(server.url)
    assert.equal(await client.request(), '200 first')
    await settled()
    t.mock.timers.tick(ms - 1)
    await settled()
    server.next([`${head}${line}content-length: 5\r\n\r\nagain`], false)
    assert.equal(await client.request(), '200 again')
    assert.equal(server.connections, opened + 1)
    await settled()
    t.mock.timers.tick(ms)
    assert.equal(await client.request(), '200 second')
    assert.equal(server.connections, opened + 2)
    await client.close()
  }
})

/** Resolves after the work of the next turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

test('a request with characters of any width is sent whole', async () => {
  const chunks: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes)
      socket.write(good('1'))
    })
  })
  await listen(server)
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const client = clientOf(url)
  for (const body of ['{}', '"é"', '"\u4e2d\ud83d\ude00"']) {
    chunks.length = 0
    assert.equal(await client.request(body), '200 1')
    const sent = Buffer.concat(chunks).toString()
    assert.ok(sent.endsWith(`\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`), sent)
  }
  await client.close()
  await closed(server)
})

test('over TLS an upstream is called only if its certificate matches its name', async () => {
  const names: unknown[] = []
  const server = createHttpsServer({ key: tlsKey, cert: tlsCertificate }, (_request, response) => {
    response.end('sealed')
  })
  server.on('secureConnection', ({ servername }) => names.push(servername))
  await listen(server)
  const { port } = server.address() as AddressInfo
  const trusted = getCACertificates('default')
  const wary = clientOf(new URL(`https://localhost:${port}`))
  assert.equal(await wary.request(), 'failed')
  await wary.close()
  setDefaultCACertificates([...trusted, tlsCertificate])
  try {
    names.length = 0
    const client = clientOf(new URL(`https://localhost:${port}`))
    assert.deepEqual([await client.request(), await client.request()], ['200 sealed', '200 sealed'])
    // A server with many hosts selects its certificate by that name.
    assert.deepEqual(names, ['localhost'])
    await client.close()
    const other = clientOf(new URL(`https://127.0.0.1:${port}`))
    assert.equal(await other.request(), 'failed')
    await other.close()
  } finally {
    setDefaultCACertificates(trusted)
    server.closeAllConnections()
    await closed(server)
  }
})
