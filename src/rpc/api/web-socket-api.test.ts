import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { bundle, createFakeGateway, goodKey, secret } from '../../../test/fakes/gateway.ts'
import { RawConnection, sendRaw } from '../../../test/fakes/raw-http.ts'
import { type RpcServer, startRpcServer } from '../../../test/fakes/rpc-server.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { openWebSocket, refusedUpgrade } from '../../../test/fakes/web-socket-client.ts'
import { Fault } from '../../base/fault.ts'

const call = (id: unknown, method = 'eth_chainId') => JSON.stringify({ jsonrpc: '2.0', id, method })
const result = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"0x539"}`
const basic = (pair: string) => ({ authorization: 'Basic ' + Buffer.from(pair).toString('base64') })
const path = `/ws/v3/${goodKey}`

suite('an upgrade to a WebSocket', () => {
  let started: RpcServer
  before(async () => {
    started = await startRpcServer({ webSocket: { connectionsPerKeyMax: 2 } })
  })
  after(() => started.stop())

  const refusals: readonly (readonly [string, string, Record<string, string>, number, string])[] = [
    ['an unknown key', '/ws/v3/unknown_key_1', {}, 401, 'invalid project id'],
    ['no key', '/ws/v3/', {}, 401, 'project id required in the url'],
    ['a wrong secret', path, basic(':wrong'), 401, 'invalid project id or project secret'],
    ['a secret left out', '/ws/v3/key_secret_01', {}, 403, 'rejected due to project ID settings'],
    ['another origin', '/ws/v3/key_origin_01', {}, 403, 'rejected due to project ID settings'],
    [
      'a network switched off',
      '/ws/v3/key_polygon_1',
      {},
      403,
      'project ID does not have access to polygon-mainnet',
    ],
    [
      'a network that is not served',
      `/goerli/ws/v3/${goodKey}`,
      {},
      404,
      'network goerli is not served',
    ],
    ['a rate that is used up', '/ws/v3/key_rate_0001', {}, 429, 'project ID request rate exceeded'],
    [
      'a day that is used up',
      '/ws/v3/key_day_00001',
      {},
      402,
      'daily request count exceeded, request rate limited',
    ],
  ]
  for (const [name, where, headers, status, message] of refusals) {
    test(`${name} is refused with ${status} and the body that HTTP gives`, async () => {
      const refused = await refusedUpgrade(started.url + where, { headers, origin: 'https://a.b' })
      equal(refused.status, status)
      equal(refused.headers['connection'], 'close')
      equal(refused.headers['access-control-allow-origin'], 'https://a.b')
      equal(refused.headers['content-type'], 'application/json')
      const reply = JSON.parse(refused.body) as { id: unknown; error: { message: string } }
      deepEqual([reply.id, reply.error.message], [null, message])
      const posted = await fetch(started.url + where.replace('/ws', ''), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: call(null),
      })
      equal(posted.status, status)
      equal(await posted.text(), refused.body)
    })
  }

  test('401 brings its challenge, 429 when to come again', async () => {
    const wrong = await refusedUpgrade(`${started.url}/ws/v3/unknown_key_1`)
    match(String(wrong.headers['www-authenticate']), /^Basic realm=/)
    equal(
      (await refusedUpgrade(`${started.url}/ws/v3/key_slow_0030`)).headers['retry-after'],
      '030',
    )
  })

  test('the right secret, a trailing slash, a query and a network in the path enter', async () => {
    for (const where of [path, `${path}/?x=1`, `/mainnet${path}`]) {
      const client = await openWebSocket(started.url + where, { headers: basic(`:${secret}`) })
      deepEqual(await client.ask('eth_chainId'), { jsonrpc: '2.0', id: 1, result: '0x539' })
      await client.close()
    }
  })

  test('an upgrade that asks for proofs has one with every result', async () => {
    for (const [where, headers] of [
      [`${path}?proof=1`, {}],
      [path, { 'x-cairn-proof': '1' }],
    ] as const) {
      const client = await openWebSocket(started.url + where, { headers })
      deepEqual(await client.ask('eth_chainId'), {
        jsonrpc: '2.0',
        id: 1,
        result: '0x539',
        proof: bundle,
      })
      await client.close()
    }
  })

  test('one key opens so many connections, and another one when one of them has gone', async () => {
    const first = await openWebSocket(started.url + path)
    const second = await openWebSocket(started.url + path)
    const refused = await refusedUpgrade(started.url + path)
    equal(refused.status, 429)
    match(refused.body, /too many WebSocket connections, limit is 2/)
    await first.close()
    while ((await opensAt(started.url + path)) === false) await setImmediate()
    await second.close()
  })

  test('an upgrade to something else, or elsewhere, is answered in HTTP as before', async () => {
    const request = (target: string, headers: string) =>
      sendRaw(
        started.port,
        `GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\n${headers}\r\n`,
      )
    const key = 'sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
    match(await request(path, 'upgrade: h2c\r\n'), /^HTTP\/1.1 404 [^]*takes WebSocket connections/)
    match(await request(`/v3/${goodKey}`, `upgrade: websocket\r\n${key}`), /^HTTP\/1.1 405 /)
    match(await request('/livez', `upgrade: websocket\r\n${key}`), /^HTTP\/1.1 200 /)
    match(await request(path, `host: b\r\nupgrade: websocket\r\n${key}`), /^HTTP\/1.1 400 /)
    match(await request(path, 'upgrade: websocket\r\n'), /^HTTP\/1.1 400 /)
    match(
      await request(path, `upgrade: websocket\r\n${key.replace('13', '7')}`),
      /^HTTP\/1.1 400 [^]*Sec-WebSocket-Version: 13/i,
    )
  })
})

async function opensAt(url: string): Promise<boolean> {
  try {
    await (await openWebSocket(url)).close()
    return true
  } catch {
    return false
  }
}

suite('frames of a WebSocket', () => {
  let started: RpcServer
  before(async () => {
    started = await startRpcServer({
      gateway: createFakeGateway({
        hang: (_params, signal) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          ),
        words: ([count]) => 'x'.repeat(Number(count)),
      }),
      settings: { bodyBytesMax: 1_000, batchItemsMax: 3, replyBytesMax: 300 },
    })
  })
  after(() => started.stop())
  const open = () => openWebSocket(started.url + path)

  const cases: readonly (readonly [name: string, frame: string, reply: string])[] = [
    ['a call', call(7), result(7)],
    [
      'an id as it was written',
      '{"jsonrpc":"2.0","id":1.0,"method":"eth_chainId"}',
      result(1).replace('1,', '1.0,'),
    ],
    [
      'a batch in one frame',
      `[${call(1)},5,${call('b')}]`,
      `[${result(1)},${error(null, -32600, 'invalid request')},${result('b')}]`,
    ],
    ['what is not JSON', "'f", error(null, -32700, 'parse error')],
    ['an empty frame', '', error(null, -32700, 'parse error')],
    ['an empty batch', '[]', error(null, -32600, 'empty batch')],
    [
      'too long a batch',
      `[${call(1)},${call(2)},${call(3)},${call(4)}]`,
      `[${[1, 2, 3, 4].map((id) => error(id, -32600, 'batch too large')).join(',')}]`,
    ],
    [
      'an unknown method',
      call(1, 'nope'),
      error(1, -32601, 'The method nope does not exist/is not available'),
    ],
    [
      'too large a reply',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'words', params: [400] }),
      error(1, -32003, 'response too large'),
    ],
  ]
  for (const [name, frame, reply] of cases) {
    test(`${name} is answered as over HTTP`, async () => {
      const client = await open()
      client.socket.send(frame)
      equal(await client.next(), reply)
      const posted = await fetch(`${started.url}/v3/${goodKey}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: frame,
      })
      equal(await posted.text(), reply)
      await client.close()
    })
  }

  test('frames may come with the upgrade in one packet, and the upgrade byte by byte', async () => {
    const frame = Buffer.from(call(7))
    const head = Buffer.from([0x81, 0x80 + frame.length, 0, 0, 0, 0])
    const both = new RawConnection(started.port)
    both.socket.write(Buffer.concat([Buffer.from(upgradeText), head, frame, head, frame]))
    match(await both.until(`${result(7)}\x81`), /^HTTP\/1.1 101 [^]*\r\nx-request-id: [\w-]+\r\n/)
    both.socket.destroy()
    const slow = new RawConnection(started.port)
    slow.socket.setNoDelay(true)
    for (const byte of upgradeText) {
      slow.socket.write(byte)
      await setImmediate()
    }
    slow.socket.write(Buffer.concat([head, frame]))
    match(await slow.until(result(7)), /^HTTP\/1.1 101 /)
    slow.socket.destroy()
  })

  test('notifications are run and get no reply', async () => {
    const client = await open()
    const { ran } = started.gateway
    client.socket.send('{"jsonrpc":"2.0","method":"eth_chainId"}')
    client.socket.send('[{"jsonrpc":"2.0","method":"eth_chainId"}]')
    equal((await client.ask('eth_chainId')).result, '0x539')
    equal(started.gateway.ran, ran + 3)
    await client.close()
  })

  test('replies come as they are ready: a call that waits holds no other up', async () => {
    const client = await open()
    client.socket.send(call('slow', 'hang'))
    client.socket.send(call('fast'))
    equal(await client.next(), result('fast'))
    await client.close()
  })

  test('what is refused before it runs is charged as over HTTP', async () => {
    const client = await open()
    started.gateway.refused.length = 0
    client.socket.send("'f")
    await client.next()
    deepEqual(
      started.gateway.refused.map(({ code }) => code),
      ['bad_json'],
    )
    await client.close()
  })

  const endings: readonly (readonly [string, string | Buffer, boolean, number])[] = [
    ['a binary frame', Buffer.from(call(1)), true, 1003],
    ['a frame over the body cap', call('x'.repeat(1_000)), false, 1009],
    ['a frame that is not UTF-8', Buffer.from([0xff, 0xfe]), false, 1007],
  ]
  for (const [name, frame, binary, code] of endings) {
    test(`${name} ends the connection with ${code}`, async () => {
      const client = await open()
      client.socket.send(frame, { binary })
      equal((await client.ended).code, code)
    })
  }

  test('a long frame is refused by its declared length, before it has come', async () => {
    const connection = await openRaw(started.port)
    const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0x7f, 0, 0, 0, 0, 1, 2, 3, 4])
    connection.socket.write(head)
    // 0x88: a closing frame; 1009 = 0x03f1.
    ok((await connection.until('\x03\xf1')).includes('\x88\x02\x03\xf1'))
    connection.socket.destroy()
  })

  test('malformed frames end the connection, and nothing else', async () => {
    const frames: readonly (readonly number[])[] = [
      [0x81, 0x01, 0x41], // not masked
      [0xf1, 0x80, 1, 2, 3, 4], // reserved bits
      [0x83, 0x80, 1, 2, 3, 4], // an unknown opcode
      [0x80, 0x80, 1, 2, 3, 4], // a continuation of nothing
      [0x89, 0xfe, 0, 126, 1, 2, 3, 4], // a ping that is too long
      [0x09, 0x80, 1, 2, 3, 4], // a ping in parts
      [0x88, 0x81, 0, 0, 0, 0, 0], // a close of one byte
    ]
    for (const frame of frames) {
      const connection = await openRaw(started.port)
      connection.socket.write(Buffer.from(frame))
      await connection.until('\x88')
      connection.socket.end()
      await connection.end()
    }
    const client = await open()
    equal((await client.ask('eth_chainId')).result, '0x539')
    await client.close()
  })
})

function error(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}

const upgradeText = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`

async function openRaw(port: number): Promise<RawConnection> {
  const connection = new RawConnection(port)
  connection.socket.write(upgradeText)
  match(await connection.until('\r\n\r\n'), /^HTTP\/1.1 101 /)
  return connection
}

suite('a WebSocket that stays open', () => {
  test('a key that is refused at a later look ends its connections with 1008 and the reason', async (t) => {
    const clock = createManualClock()
    let revoked = false
    const gateway = createFakeGateway()
    const { authenticateRpc } = gateway
    const started = await startRpcServer({
      clock,
      gateway: Object.assign(gateway, {
        authenticateRpc: (...entering: Parameters<typeof authenticateRpc>) => {
          if (revoked) throw new Fault('bad_key')
          return authenticateRpc(...entering)
        },
      }),
    })
    t.after(() => started.stop())
    const client = await openWebSocket(started.url + path)
    clock.advance(10_000)
    equal((await client.ask('eth_chainId')).result, '0x539')
    revoked = true
    clock.advance(2_000)
    deepEqual(await client.ended, { code: 1008, reason: 'invalid project id' })
  })

  test('the call that the day has no room for is answered, then the connection ends with 1008', async (t) => {
    const gateway = createFakeGateway()
    const { runRpc } = gateway
    let used = false
    const started = await startRpcServer({
      gateway: Object.assign(gateway, {
        runRpc: (...visit: Parameters<typeof runRpc>) => {
          if (used) throw new Fault('over_quota')
          return runRpc(...visit)
        },
      }),
    })
    t.after(() => started.stop())
    const client = await openWebSocket(started.url + path)
    equal((await client.ask('eth_chainId')).result, '0x539')
    used = true
    const message = 'daily request count exceeded, request rate limited'
    deepEqual(await client.ask('eth_chainId'), {
      jsonrpc: '2.0',
      id: 2,
      error: { code: 402, message, data: { code: 'over_quota' } },
    })
    deepEqual(await client.ended, { code: 1008, reason: message })
  })

  test('a client that answers pings stays connected for days, another is closed after two pings', async (t) => {
    const clock = createManualClock()
    const started = await startRpcServer({ clock })
    t.after(() => started.stop())
    const there = await openWebSocket(started.url + path)
    const silent = await openWebSocket(started.url + path, { autoPong: false })
    let pings = 0
    there.socket.on('ping', () => (pings += 1))
    for (let round = 1; round <= 5; round++) {
      clock.advance(30_000)
      while (pings < round) await setImmediate()
      // ws sends the pong before this call.
      await there.ask('eth_chainId')
    }
    equal((await silent.ended).code, 1006)
    await there.close()
  })

  test('a call that takes too long is given up at its deadline', async (t) => {
    const clock = createManualClock()
    const gateway = createFakeGateway({
      hang: (_params, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    })
    const started = await startRpcServer({ clock, gateway, settings: { deadlineMs: 1_000 } })
    t.after(() => started.stop())
    const client = await openWebSocket(started.url + path)
    client.socket.send(call(1, 'hang'))
    while (gateway.ran === 0) await setImmediate()
    clock.advance(2_000)
    match(await client.next(), /"code":-32002,"message":"request timed out"/)
    await client.close()
  })

  test('calls in flight are bounded, those behind them wait, and all are answered in the end', async (t) => {
    const open: (() => void)[] = []
    const gateway = createFakeGateway({
      gated: () => new Promise<string>((resolve) => open.push(() => resolve('0x1'))),
    })
    const started = await startRpcServer({ gateway, webSocket: { framesInFlightMax: 2 } })
    t.after(() => started.stop())
    const client = await openWebSocket(started.url + path)
    for (let id = 0; id < 5; id++) client.socket.send(call(id, 'gated'))
    while (open.length < 2) await setImmediate()
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    equal(open.length, 2)
    const answered: unknown[] = []
    while (answered.length < 5) {
      open.shift()?.()
      answered.push((await client.nextJson<{ id: number }>()).id)
    }
    deepEqual(answered, [0, 1, 2, 3, 4])
    equal((await client.ask('eth_chainId')).result, '0x539')
    await client.close()
  })

  test('a client that sends far more in one packet than is answered is closed', async (t) => {
    const gateway = createFakeGateway({ hang: () => new Promise(() => {}) })
    const started = await startRpcServer({
      gateway,
      webSocket: { framesInFlightMax: 1, framesQueuedMax: 10 },
    })
    t.after(() => started.stop())
    const connection = await openRaw(started.port)
    const frame = Buffer.from(call(1, 'hang'))
    const head = Buffer.from([0x81, 0x80 + frame.length, 0, 0, 0, 0])
    connection.socket.write(Buffer.concat(Array.from({ length: 50 }, () => [head, frame]).flat()))
    match(await connection.until('too many calls at once'), /\x88/)
    connection.socket.destroy()
  })

  test('a client that does not read its replies is no longer read, then closed with 1013', async (t) => {
    const clock = createManualClock()
    // One reply exceeds the socket buffers of a client that does not read.
    const gateway = createFakeGateway({ words: () => 'x'.repeat(20_000_000) })
    const limits = { congestedBytes: 100_000, framesInFlightMax: 1 }
    const started = await startRpcServer({ gateway, clock, webSocket: limits })
    t.after(() => started.stop())
    const client = await openWebSocket(started.url + path)
    client.socket.pause()
    for (let id = 0; id < 2_000; id++) client.socket.send(call(id, 'words'))
    while (gateway.ran === 0) await setImmediate()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    equal(gateway.ran, 1)
    clock.advance(30_000)
    clock.advance(30_000)
    client.socket.resume()
    equal((await client.ended).code, 1013)
  })

  test('all connections together may hold so much unsent, and who holds some of it is ended', async (t) => {
    const gateway = createFakeGateway({ words: () => 'x'.repeat(8_000_000) })
    const limits = { congestedBytes: 100_000, totalBytesMax: 1_000_000 }
    const started = await startRpcServer({ gateway, webSocket: limits })
    t.after(() => started.stop())
    const reading = await openWebSocket(started.url + path)
    const deaf = await openWebSocket(started.url + path)
    deaf.socket.pause()
    deaf.socket.send(call(1, 'words'))
    while (gateway.ran === 0) await setImmediate()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    deaf.socket.resume()
    equal((await deaf.ended).code, 1013)
    equal((await reading.ask('eth_chainId')).result, '0x539')
    await reading.close()
  })

  test('a drain answers what is in flight, then ends every connection with 1012', async () => {
    const open: (() => void)[] = []
    const gateway = createFakeGateway({
      gated: () => new Promise<string>((resolve) => open.push(() => resolve('0x1'))),
    })
    const started = await startRpcServer({ gateway })
    const idle = await openWebSocket(started.url + path)
    const busy = await openWebSocket(started.url + path)
    busy.socket.send(call(1, 'gated'))
    while (open.length === 0) await setImmediate()
    const drained = started.server.drain({ graceMs: 0, deadlineMs: 10_000 })
    deepEqual(await idle.ended, { code: 1012, reason: 'the server is stopping' })
    equal(busy.frames.length, 0)
    open[0]?.()
    equal(await busy.next(), '{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    equal((await busy.ended).code, 1012)
    await drained
  })

  test('a connection that does not end is cut when the time of a drain is over', async () => {
    const gateway = createFakeGateway({ hang: () => new Promise(() => {}) })
    const started = await startRpcServer({ gateway })
    const client = await openWebSocket(started.url + path)
    client.socket.send(call(1, 'hang'))
    while (gateway.ran === 0) await setImmediate()
    await started.server.drain({ graceMs: 0, deadlineMs: 10 })
    equal((await client.ended).code, 1006)
  })
})
