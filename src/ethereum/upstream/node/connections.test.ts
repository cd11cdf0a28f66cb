import assert from 'node:assert/strict'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Pool } from 'undici'
import { seeded } from '../../../../test/fakes/seeded.ts'
import { tlsCertificate, tlsKey } from '../../../../test/fakes/tls-identity.ts'
import { createTurnedClock } from '../../../../test/fakes/turned-clock.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type Connections, createConnections } from './connections.ts'
import { UpstreamExchange, type ExchangeOwner } from './exchange.ts'
import { createReadReplyHead } from './reply-head.ts'

const never = new AbortController().signal
const headBytesMax = 4096

/** Writes `pieces` for the first request it hears, a good response for each later one. */
async function startScripted() {
  const script: { pieces: readonly string[]; ends: boolean } = { pieces: [], ends: false }
  let asked = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => void write(socket))
  })

  async function write(socket: Socket): Promise<void> {
    asked += 1
    if (asked > 1) return void socket.write(good('second'))
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
      asked = 0
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

type Client = { ask(body?: string): Promise<string>; close(): Promise<void> }

/** `<status> <body>`, or `failed`. */
function ourClient(url: URL, bodyBytesMax = 1024, clock: Clock = systemClock): Client {
  const owner: ExchangeOwner = {
    heldBytes: 0,
    heldBytesMax: 10_000,
    dispatch: (exchange) => connections.dispatch(exchange),
    now: () => systemClock.now(),
  }
  let awaited = 0
  const connections: Connections = createConnections({
    url,
    busyPoll: { sent: () => ++awaited, ended: () => void --awaited },
    head: `POST / HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: `,
    connectionsMax: 1,
    connectMs: 5_000,
    idleMs: 4_000,
    headBytesMax,
    clock,
  })
  return {
    async ask(body = '{}') {
      const request = { body, replyBytesMax: bodyBytesMax, mayRepeat: false }
      const exchange = new UpstreamExchange(owner, request, never)
      connections.dispatch(exchange)
      const outcome = await exchange.response.then(
        (response) => `${response.status} ${response.body}`,
        () => 'failed',
      )
      assert.equal(owner.heldBytes, 0)
      return outcome
    },
    async close() {
      connections.close()
      assert.equal(awaited, 0, 'nobody stays awake for what has ended')
    },
  }
}

function undiciClient(url: URL): Client {
  const pool = new Pool(url.origin, {
    connections: 1,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: headBytesMax,
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  })
  return {
    async ask() {
      try {
        const reply = await pool.request({ path: '/', method: 'POST', body: '{}' })
        return `${reply.statusCode} ${await reply.body.text()}`
      } catch {
        return 'failed'
      }
    },
    close: () => pool.destroy(),
  }
}

/** What the first request came to, and one after it. */
async function outcomeOf(
  make: (url: URL) => Client,
  pieces: readonly string[],
  ends = false,
): Promise<readonly string[]> {
  await using server = await startScripted()
  server.next(pieces, ends)
  const client = make(server.url)
  try {
    return [await client.ask(), await client.ask()]
  } finally {
    await client.close()
  }
}

const head = 'HTTP/1.1 200 OK\r\n'
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`
const plain: readonly (readonly [bytes: string, ends?: boolean])[] = [
  [good('"one"')],
  [good('')],
  [`HTTP/1.1 503 Busy\r\nDate: now\r\nContent-Length:   3\r\nX-Any: \xe9 \r\n\r\nno!`],
  [`${chunked}3\r\nabc\r\n0a;why="x"\r\n0123456789\r\n0\r\n\r\n`],
  [`${chunked}3\r\nabc\r\n0\r\ntrailer: yes\r\n\r\n`],
  [`HTTP/1.1 103 Early\r\nlink: x\r\n\r\n${good('late')}`],
  [`${head}connection: close\r\n\r\nto the end`, true],
  [`HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nold`],
  [`HTTP/1.1 204 None\r\n\r\n`],
  [`${head}keep-alive: timeout=1\r\ncontent-length: 5\r\n\r\nshort`],
]

test('plain responses are read alike by undici and here, wherever they are cut', async () => {
  await using server = await startScripted()
  for (const [bytes, ends = false] of plain) {
    const expected = await outcomeOf(undiciClient, [bytes], ends)
    assert.notEqual(expected[0], 'failed', bytes)
    assert.equal(expected[1], '200 second', bytes)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      server.next([bytes.slice(0, cut), bytes.slice(cut)], ends)
      const client = ourClient(server.url)
      const outcome = [await client.ask(), await client.ask()]
      await client.close()
      assert.deepEqual(outcome, expected, `${JSON.stringify(bytes)} cut at ${cut}`)
    }
  }
})

const odd: readonly string[] = [
  '',
  'SMTP hello\r\n\r\n',
  'HTTP/2.0 200 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 99 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 2000 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1  200 OK\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 200 O\0K\r\ncontent-length: 1\r\n\r\nx',
  'HTTP/1.1 101 Switch\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  `HTTP/1.1 100 Continue\r\n\r\n${good('late')}`,
  'HTTP/1.1 200 OK\ncontent-length: 1\n\nx',
  `\r\n${good('x')}`,
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
  `${head}content-length : 1\r\n\r\nx`,
  `${head} content-length: 1\r\n\r\nx`,
  `${head}x: 1\r\n content-length: 1\r\n\r\nx`,
  `${head}x\r\ncontent-length: 1\r\n\r\nx`,
  `${head}x: \x01\r\ncontent-length: 1\r\n\r\nx`,
  `${head}x: a\rcontent-length: 1\r\n\r\nx`,
  `${head}x: a\ncontent-length: 1\r\n\r\nx`,
  `${head}x: ${'y'.repeat(headBytesMax)}\r\ncontent-length: 1\r\n\r\nx`,
  `${good('first')}${good('smuggled')}`,
  `${good('first')}x`,
  `${chunked}1\r\nx\r\n0\r\n\r\n${good('smuggled')}`,
  `${chunked}1\r\nxy\r\n0\r\n\r\n`,
  `${chunked}1\nx\n0\n\n`,
  `${chunked}-1\r\nx\r\n0\r\n\r\n`,
  `${chunked}0x1\r\nx\r\n0\r\n\r\n`,
  `${chunked}1 x\r\nx\r\n0\r\n\r\n`,
  `${chunked}g\r\nx\r\n0\r\n\r\n`,
  `${chunked}\r\nx\r\n0\r\n\r\n`,
  `${chunked}fffffffffffffffff\r\nx\r\n0\r\n\r\n`,
  `${chunked}1;${'e'.repeat(2000)}\r\nx\r\n0\r\n\r\n`,
  `${chunked}1\r\nx\r\n`,
  `${chunked}1\r\nx\r\n0\r\n${`t: ${'y'.repeat(1000)}\r\n`.repeat(6)}\r\n`,
  `HTTP/1.1 204 None\r\ncontent-length: 3\r\n\r\nxyz`,
  `HTTP/1.1 304 Same\r\ncontent-length: 3\r\n\r\n`,
]

test('an odd response is read as undici reads it or is no response, and nothing of it is part of the next', async () => {
  for (const bytes of odd) {
    const theirs = await outcomeOf(undiciClient, [bytes], true)
    const middle = Math.floor(bytes.length / 2)
    for (const pieces of [
      [bytes],
      [bytes.slice(0, middle), bytes.slice(middle)],
      [...Array.from(bytes.slice(0, 200)), bytes.slice(200)],
    ]) {
      const [first, second] = await outcomeOf(ourClient, pieces, true)
      assert.ok(first === 'failed' || first === theirs[0], `${JSON.stringify(bytes)}: ${first}`)
      assert.notEqual(second, '200 smuggled')
    }
  }
})

test('whatever pieces of responses come, they are read as undici reads them or are no response', async () => {
  const next = seeded(20)
  const parts = [
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 404 No\r\n',
    'content-length: 4\r\n',
    'transfer-encoding: chunked\r\n',
    'connection: close\r\n',
    'x: y\r\n',
    '\r\n',
    'body',
    '4\r\nbody\r\n',
    '0\r\n',
    '\n',
    ' ',
  ]
  for (let round = 0; round < 150; round += 1) {
    const count = 2 + next(7)
    const bytes =
      (parts[next(3) === 0 ? next(parts.length) : 0] ?? '') +
      Array.from({ length: count }, () => parts[next(parts.length)]).join('')
    const cut = next(bytes.length)
    const [theirs] = await outcomeOf(undiciClient, [bytes], true)
    const [ours] = await outcomeOf(ourClient, [bytes.slice(0, cut), bytes.slice(cut)], true)
    assert.ok(ours === 'failed' || ours === theirs, `${JSON.stringify(bytes)}: ${ours} ${theirs}`)
  }
})

test('what a head says is its own, whichever was read before it', () => {
  const heads = ['content-length: 5', 'content-length: 6', 'transfer-encoding: chunked', 'no head']
    .map((line) => `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\n${line}`)
    .concat('')
  for (const first of heads) {
    for (const second of heads) {
      const read = createReadReplyHead()
      const said = [first, first, second, second, first].map(read)
      const alone = (text: string) => createReadReplyHead()(text)
      assert.deepEqual(said, [first, first, second, second, first].map(alone))
    }
  }
  assert.deepEqual(
    heads.map((text) => createReadReplyHead()(text)?.body ?? null),
    [5, 6, 'chunked', null, null],
  )
})

test('a body in a thousand pieces takes no more room than its bytes, and one beyond the cap is refused', async () => {
  const pieces = Array.from({ length: 1000 }, () => '1\r\nx\r\n').join('')
  const [first] = await outcomeOf(ourClient, [`${chunked}${pieces}0\r\n\r\n`])
  assert.equal(first, `200 ${'x'.repeat(1000)}`)
  const tight = (url: URL) => ourClient(url, 999)
  assert.equal((await outcomeOf(tight, [`${chunked}${pieces}0\r\n\r\n`]))[0], 'failed')
})

test('a connection that was idle for too long is not used again', async () => {
  const clock = createTurnedClock()
  await using server = await startScripted()
  server.next([good('first')], false)
  const client = ourClient(server.url, 1024, clock)
  assert.equal(await client.ask(), '200 first')
  clock.turn(3_999)
  assert.equal(await client.ask(), '200 second')
  assert.equal(server.connections, 1)
  clock.turn(4_000)
  assert.equal(await client.ask(), '200 second')
  assert.equal(server.connections, 2)
  await client.close()
  assert.equal(clock.timers, 0)
})

test('a request with characters of any width goes out whole', async () => {
  const heard: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      heard.push(bytes)
      socket.write(good('1'))
    })
  })
  await listen(server)
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const client = ourClient(url)
  for (const body of ['{}', '"é"', '"\u4e2d\ud83d\ude00"']) {
    heard.length = 0
    assert.equal(await client.ask(body), '200 1')
    const sent = Buffer.concat(heard).toString()
    assert.ok(sent.endsWith(`\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`), sent)
  }
  await client.close()
  await closed(server)
})

test('over TLS an upstream is asked as who it is, or not at all', async () => {
  const names: unknown[] = []
  const server = createHttpsServer({ key: tlsKey, cert: tlsCertificate }, (_request, response) => {
    response.end('sealed')
  })
  server.on('secureConnection', ({ servername }) => names.push(servername))
  await listen(server)
  const { port } = server.address() as AddressInfo
  const trusted = getCACertificates('default')
  const wary = ourClient(new URL(`https://localhost:${port}`))
  assert.equal(await wary.ask(), 'failed')
  await wary.close()
  setDefaultCACertificates([...trusted, tlsCertificate])
  try {
    names.length = 0
    const client = ourClient(new URL(`https://localhost:${port}`))
    assert.deepEqual([await client.ask(), await client.ask()], ['200 sealed', '200 sealed'])
    // By that name a host of many knows whom it speaks for.
    assert.deepEqual(names, ['localhost'])
    await client.close()
    const other = ourClient(new URL(`https://127.0.0.1:${port}`))
    assert.equal(await other.ask(), 'failed')
    await other.close()
  } finally {
    setDefaultCACertificates(trusted)
    server.closeAllConnections()
    await closed(server)
  }
})
