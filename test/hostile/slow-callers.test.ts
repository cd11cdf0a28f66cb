// Clients that hold connections, bodies and replies: a limit ends each, and other requests are served in the meantime. Loopback has
// many addresses, so one machine can simulate several clients.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { platform } from 'node:process'
import { after, afterEach, before, suite, test } from 'node:test'
import { type Started, startCairn } from '../started-server.ts'
import { createFakeGateway, goodKey } from '../fakes/gateway.ts'
import { startRpcServer } from '../fakes/rpc-server.ts'
import { readFigures } from './process-figures.ts'
import { exchangeBytes, parseReplies } from './raw-replies.ts'
import { goodCall } from './raw-requests.ts'

const perAddress = 12
const altogether = 20
const mib = 1024 * 1024

suite('callers that hold on', { skip: platform !== 'linux' && 'needs 127.0.0.2 and /proc' }, () => {
  let cairn: Started
  let port: number
  let path: string
  const open = new Set<Caller>()

  before(async () => {
    cairn = await startCairn({
      env: {
        CAIRN_HTTP_HEADERS_MS: '300',
        CAIRN_RPC_REQUEST_MS: '400',
        CAIRN_FILES_IDLE_MS: '400',
        CAIRN_HTTP_CONNECTIONS_MAX: String(altogether),
        CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: String(perAddress),
      },
    })
    port = Number(new URL(cairn.url).port)
    path = `/v3/${cairn.apiKey}`
  })
  after(() => cairn.stop())
  afterEach(async () => {
    for (const caller of open) caller.socket.destroy()
    await Promise.all([...open].map((caller) => caller.closed))
    open.clear()
    // Until the server has noticed the disconnects, a reply is the proof.
    while (!(await ask('127.0.0.1')).includes('0x539'));
  })

  /** A connection from this address; `text`: the received text. */
  class Caller {
    readonly socket: Socket
    readonly closed: Promise<void>
    text = ''

    constructor(from: string) {
      this.socket = connect({ port, host: '127.0.0.1', localAddress: from })
      this.socket.setEncoding('latin1')
      this.socket.on('error', () => {})
      this.socket.on('data', (text) => (this.text += String(text)))
      this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()))
      open.add(this)
    }

    async send(text: string): Promise<void> {
      await new Promise<void>((resolve) => this.socket.write(text, () => resolve()))
    }
  }

  async function ask(from: string): Promise<string> {
    const caller = new Caller(from)
    caller.socket.write(goodCall(path, 'ask', 'Connection: close\r\n'))
    await caller.closed
    open.delete(caller)
    return caller.text
  }

  test('headers that do not end get 408', async () => {
    const caller = new Caller('127.0.0.1')
    await caller.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nX`)
    await caller.closed
    assert.match(caller.text, /^HTTP\/1\.1 408 /)
  })

  test('headers sent byte by byte end at the same time limit', async () => {
    const caller = new Caller('127.0.0.1')
    for (const byte of `GET /livez HTTP/1.1\r\nX: ${'x'.repeat(15_000)}`) {
      if (caller.socket.destroyed) break
      await caller.send(byte)
    }
    await caller.closed
    assert.match(caller.text, /^HTTP\/1\.1 408 |^$/)
  })

  test('a JSON-RPC body that does not end gets 408 with an error object, and the connection closes', async () => {
    const caller = new Caller('127.0.0.1')
    await caller.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n[{"jsonrpc"`)
    await caller.closed
    const [reply, ...more] = parseReplies(caller.text)
    assert.deepEqual(more, [])
    assert.equal(reply?.status, 408)
    assert.partialDeepStrictEqual(JSON.parse(reply.body), [
      { jsonrpc: '2.0', id: null, error: { code: -32002, message: 'request body timed out' } },
    ])
  })

  test('an upload that stalls gets 408, and nothing of it is stored', async () => {
    const caller = new Caller('127.0.0.1')
    const basic = btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)
    await caller.send(
      `POST /api/v0/add HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${basic}\r\nContent-Type: multipart/form-data; boundary=edge\r\nContent-Length: 9000\r\n\r\n--edge\r\nContent-Disposition: form-data; filename="a"\r\n\r\nhalf`,
    )
    await caller.closed
    const [reply] = parseReplies(caller.text)
    assert.equal(reply?.status, 408)
    assert.equal(reply.body, '{"Message":"request body timed out","Code":0,"Type":"error"}\n')
  })

  test('a refused upload is answered immediately, and little more of it is read', async () => {
    for (const target of ['/api/v0/add', '/v3/unknown_key_1', path]) {
      const caller = new Caller('127.0.0.1')
      const length = 512 * mib
      caller.socket.write(`POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)
      const piece = Buffer.alloc(65_536, 0x20)
      let taken = 0
      while (!caller.socket.destroyed && taken < length) {
        await Promise.race([
          new Promise<void>((resolve) => caller.socket.write(piece, () => resolve())),
          caller.closed,
        ])
        taken += piece.length
      }
      // At most 16 MiB are discarded; the rest was in the buffers of both kernels.
      assert.ok(taken < 64 * mib, `${target} took ${taken} bytes`)
      assert.match(caller.text, /^HTTP\/1\.1 4(01|13) /, target)
    }
  })

  /** Waits until something is received, or the connection is closed. */
  async function reply(caller: Caller): Promise<string> {
    while (caller.text === '' && !caller.socket.destroyed) {
      await Promise.race([
        caller.closed,
        new Promise((resolve) => caller.socket.once('data', resolve)),
      ])
    }
    return caller.text
  }

  test('connections are limited per address and in total, and other addresses are still served', async () => {
    const held: Caller[] = []
    // A WebSocket does not count as idle, however little traffic it has.
    const hold = async (from: string) => {
      const caller = new Caller(from)
      held.push(caller)
      await caller.send(
        `GET /ws${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
      )
      assert.match(await reply(caller), /^HTTP\/1\.1 101 /)
    }
    for (let n = 0; n < perAddress; n++) await hold('127.0.0.1')
    assert.equal(await ask('127.0.0.1'), '', 'one over the cap of an address is cut')
    assert.match(await ask('127.0.0.2'), /"id":"ask","result":"0x539"/)
    for (let n = perAddress; n < altogether; n++) await hold('127.0.0.2')
    assert.equal(await ask('127.0.0.3'), '', 'one over the cap of all is cut')
    held[0]?.socket.destroy()
    while (!(await ask('127.0.0.3')).includes('0x539'));
  })

  test('at the limit of an address, a new connection closes its longest idle one', async () => {
    const held: Caller[] = []
    for (let n = 0; n < perAddress; n++) {
      const caller = new Caller('127.0.0.1')
      await caller.send('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
      assert.match(await reply(caller), /live/)
      held.push(caller)
    }
    // A request counts until the server has closed its response, a moment after its bytes arrive.
    while (!(await ask('127.0.0.1')).includes('0x539'));
    await held[0]?.closed
  })

  test('a client that sends thousands of calls and reads no reply does not fill the memory', async () => {
    const idle = await readFigures(cairn.child.pid)
    const caller = new Caller('127.0.0.1')
    caller.socket.pause()
    const calls = Array.from({ length: 100 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getBlockByNumber',
      params: ['0x0', true],
    }))
    const body = JSON.stringify(calls)
    const batch = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    // Bytes that are not accepted within the write timeout remain in this process.
    for (let n = 0; n < 2_000; n++) caller.socket.write(batch)
    for (let n = 0; n < 20; n++) assert.match(await ask('127.0.0.2'), /0x539/)
    const grown = (await readFigures(cairn.child.pid)).residentMiB - idle.residentMiB
    assert.ok(grown < 150, `grew by ${grown} MiB`)
  })
})

test('concurrent requests above the limit get 503 overloaded with Retry-After, and later ones are served', async () => {
  let finish: () => void = () => {}
  const gateway = createFakeGateway({
    slow: () => new Promise<string>((resolve) => (finish = () => resolve('0x1'))),
  })
  const started = await startRpcServer({ gateway, settings: { requestsInFlightMax: 1 } })
  const path = `/v3/${goodKey}`
  const slow = '{"jsonrpc":"2.0","id":1,"method":"slow"}'
  const first = exchangeBytes(
    started.port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${slow.length}\r\n\r\n${slow}`,
  )
  const second = () =>
    exchangeBytes(started.port, goodCall(path, 'second', 'Connection: close\r\n'))
  let refused = await second()
  // The first reply may still be in flight.
  while (!refused.startsWith('HTTP/1.1 503')) refused = await second()
  assert.match(
    refused,
    /\r\nretry-after: 01\r\n[^]*"id":"second","error":\{"code":-32603,"message":"overloaded"/i,
  )
  finish()
  assert.match(await first, /"result":"0x1"\}$/)
  assert.match(await second(), /"id":"second","result":"0x539"\}$/)
  await started.stop()
})
