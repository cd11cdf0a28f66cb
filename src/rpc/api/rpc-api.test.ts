import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { bundle, createFakeGateway, goodKey, secret } from '../../../test/fakes/gateway.ts'
import { RawConnection, sendRaw } from '../../../test/fakes/raw-http.ts'
import { type RpcServer, startRpcServer } from '../../../test/fakes/rpc-server.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { ReplyWriter } from './rpc-reply.ts'

const call = (id: unknown, method = 'eth_chainId') => JSON.stringify({ jsonrpc: '2.0', id, method })
const error = (id: unknown, code: number, message: string, data?: object) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) },
  })
const basic = (pair: string) => ({ authorization: 'Basic ' + Buffer.from(pair).toString('base64') })

suite('the JSON-RPC API', () => {
  let started: RpcServer
  before(async () => {
    started = await startRpcServer({
      settings: { bodyBytesMax: 1_000, batchItemsMax: 3, replyBytesMax: 300 },
    })
  })
  after(() => started.stop())

  const post = (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
    method = 'POST',
  ) =>
    fetch(started.url + path, {
      method,
      ...(method === 'GET' ? {} : { body }),
      headers: { 'content-type': 'application/json', ...headers },
    })

  const settings = 'rejected due to project ID settings'
  const refusals: readonly (readonly [
    name: string,
    path: string,
    headers: Record<string, string>,
    status: number,
    code: number,
    message: string,
    data: object | undefined,
  ])[] = [
    [
      'an unknown key',
      '/v3/unknown_key_1',
      {},
      401,
      -32600,
      'invalid project id',
      { code: 'bad_key' },
    ],
    [
      'no key',
      '/v3/',
      {},
      401,
      -32600,
      'project id required in the url',
      { code: 'no_credential' },
    ],
    [
      'a malformed key',
      '/v3/short',
      {},
      401,
      -32600,
      'project id required in the url',
      { code: 'no_credential' },
    ],
    [
      'a wrong secret',
      `/v3/${goodKey}`,
      basic(':wrong'),
      401,
      -32600,
      'invalid project id or project secret',
      { code: 'bad_secret' },
    ],
    [
      'another scheme',
      `/v3/${goodKey}`,
      { authorization: 'Digest x' },
      401,
      -32600,
      'invalid project id or project secret',
      { code: 'bad_secret' },
    ],
    [
      'a secret that is required',
      '/v3/key_secret_01',
      {},
      403,
      -32002,
      settings,
      { code: 'refused_by_setting', reason: 'secret_required' },
    ],
    [
      'an origin not listed',
      '/v3/key_origin_01',
      {},
      403,
      -32002,
      settings,
      { code: 'refused_by_setting', reason: 'origin' },
    ],
    [
      'a network switched off',
      '/v3/key_polygon_1',
      {},
      403,
      -32002,
      'project ID does not have access to polygon-mainnet',
      { code: 'refused_by_setting', reason: 'network' },
    ],
    [
      'a network not served',
      `/sepolia/v3/${goodKey}`,
      {},
      404,
      -32002,
      'network sepolia is not served',
      { code: 'no_network' },
    ],
    [
      'a day used up',
      '/v3/key_day_00001',
      {},
      402,
      402,
      'daily request count exceeded, request rate limited',
      { code: 'over_quota' },
    ],
    [
      'a content type',
      `/v3/${goodKey}`,
      { 'content-type': 'text/plain' },
      415,
      -32600,
      'invalid content type, only application/json is supported',
      undefined,
    ],
    [
      'a content encoding',
      `/v3/${goodKey}`,
      { 'content-encoding': 'br' },
      415,
      -32600,
      'invalid content encoding, only identity is supported',
      undefined,
    ],
    [
      'a rate',
      '/v3/key_rate_0001',
      {},
      429,
      -32005,
      'project ID request rate exceeded',
      { code: 'over_rate', rate: { allowed_rps: 1, current_rps: 2, backoff_seconds: 1 } },
    ],
  ]
  for (const [name, path, headers, status, code, message, data] of refusals) {
    test(`refused for ${name}: status, ids, an array for a batch, CORS and challenge`, async () => {
      const origin = 'https://a.example'
      const single = await post(path, call('a'), { ...headers, origin })
      equal(single.status, status)
      equal(await single.text(), error('a', code, message, data))
      equal(single.headers.get('access-control-allow-origin'), origin)
      equal(single.headers.get('vary'), 'Origin')
      equal(
        single.headers.get('www-authenticate'),
        status === 401 ? 'Basic realm="Auth failure, invalid project id"' : null,
      )
      equal(single.headers.get('retry-after'), status === 429 ? '01' : null)
      const batch = await post(path, `[${call(1)},${call(2)}]`, headers)
      equal(batch.status, status)
      equal(
        await batch.text(),
        `[${error(1, code, message, data)},${error(2, code, message, data)}]`,
      )
    })
  }

  test('the head of a plain answer is the one that node writes for the same answer', async () => {
    const body = call(1)
    const request = async (origin: string) => {
      const connection = new RawConnection(started.port)
      const head = `POST /v3/${goodKey} HTTP/1.1\r\nhost: a\r\n${origin}content-length: ${body.length}\r\n\r\n`
      connection.socket.write(head + body)
      const received = await connection.until('0x539')
      connection.socket.destroy()
      // Only three header values may differ: the time, the request ID, the reflected Origin.
      return received.replace(/^(date|x-request-id|access-control-allow-origin): .*$/gim, '$1')
    }
    const plain = await request('')
    match(plain, /^HTTP\/1\.1 200 OK\r\n/)
    equal(plain, await request('origin: https://a.example\r\n'))
  })

  test('Retry-After is rounded up behind one zero', async () => {
    equal((await post('/v3/key_slow_0030', call(1))).headers.get('retry-after'), '030')
    equal((await post(`/v3/${goodKey}`, call(1, 'fail_upstream'))).headers.get('retry-after'), '01')
  })

  test('a preflight needs no key and no network', async () => {
    for (const path of ['/v3/x', '/nowhere/v3/x', `/ws/v3/${goodKey}`]) {
      const response = await post(path, '', { origin: 'https://a.example' }, 'OPTIONS')
      equal(response.status, 204)
      equal(response.headers.get('access-control-allow-origin'), 'https://a.example')
      equal(response.headers.get('access-control-allow-methods'), 'POST, OPTIONS')
      equal(response.headers.get('access-control-max-age'), '7200')
      equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('GET is 405 with Allow, a WebSocket URL without an upgrade is 404, both as JSON', async () => {
    const got = await post(`/v3/${goodKey}`, '', {}, 'GET')
    deepEqual(
      [got.status, got.headers.get('allow'), await got.text()],
      [405, 'POST, OPTIONS', error(null, -32600, 'method not allowed')],
    )
    const socket = await post(`/ws/v3/${goodKey}`, '', {}, 'GET')
    equal(socket.status, 404)
    match(await socket.text(), /this URL takes WebSocket connections/)
  })

  test('the right secret enters, with an empty user or the key, by path prefix too', async () => {
    for (const headers of [basic(`:${secret}`), basic(`${goodKey}:${secret}`), {}]) {
      equal((await post(`/v3/${goodKey}/?x=1`, call(1), headers)).status, 200)
    }
    equal((await post(`/mainnet/v3/${goodKey}`, call(1))).status, 200)
    equal((await post(`/v3/${goodKey}`, call(1), basic(`other:${secret}`))).status, 401)
  })

  test('an answer carries its labels, units, length and safety headers', async () => {
    const { headers } = await post(`/v3/${goodKey}`, call(1))
    const shown = [
      'x-cairn-verified',
      'x-cairn-head',
      'x-cairn-block-number',
      'x-cairn-units',
      'cache-control',
      'x-content-type-options',
      'access-control-allow-origin',
      'content-type',
    ]
    deepEqual(
      shown.map((name) => headers.get(name)),
      ['proof', 'embedded', '0x11', '80', 'no-store', 'nosniff', '*', 'application/json'],
    )
    equal(headers.get('x-cairn-block'), '0x' + 'ab'.repeat(32))
  })

  test('a proof follows the result when URL or header asks for it, and counts in the cap of a reply', async () => {
    const answer = `{"jsonrpc":"2.0","id":1,"result":"0x539"`
    const proof = `,"proof":${JSON.stringify(bundle)}}`
    const url = `/v3/${goodKey}`
    for (const [path, headers, end] of [
      [`${url}?proof=1`, {}, proof],
      [`${url}?a=b&proof=1`, {}, proof],
      [url, { 'x-cairn-proof': '1' }, proof],
      [url, { 'x-cairn-proof': '0' }, '}'],
      [`${url}?proof=true`, {}, '}'],
    ] as const) {
      equal(await (await post(path, call(1), headers)).text(), answer + end)
    }
    const failed = await post(`${url}?proof=1`, call(1, 'fail_revert'))
    match(await failed.text(), /"data":"0x08c379a0"}}$/)
    const three = `[${[1, 2, 3].map((id) => call(id)).join(',')}]`
    ok(!(await (await post(url, three)).text()).includes('error'))
    match(await (await post(`${url}?proof=1`, three)).text(), /"proof".*response too large/)
  })

  test('a revert keeps its bytes, a bug is masked and names the request', async () => {
    equal(
      await (await post(`/v3/${goodKey}`, call(1, 'fail_revert'))).text(),
      '{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted: no","data":"0x08c379a0"}}',
    )
    const bug = await post(`/v3/${goodKey}`, call(1, 'fail_bug'), { 'x-request-id': 'r1' })
    deepEqual(
      [bug.status, await bug.text()],
      [500, error(1, -32603, 'internal error', { code: 'internal', requestId: 'r1' })],
    )
    equal((await post(`/v3/${goodKey}`, `[${call(1, 'fail_bug')}]`)).status, 200)
  })

  test('a batch over the setting is refused per call, unrun and charged once', async () => {
    const { ran, refused } = started.gateway
    const before = refused.length
    const response = await post(
      `/v3/${goodKey}`,
      `[${[1, 2, 3, 4].map((id) => call(id)).join(',')}]`,
    )
    deepEqual(
      [response.status, await response.text()],
      [200, `[${[1, 2, 3, 4].map((id) => error(id, -32600, 'batch too large')).join(',')}]`],
    )
    deepEqual([started.gateway.ran, refused.length], [ran, before + 1])
  })

  test('a refusal says what it was charged, and a free one nothing', async () => {
    const units = async (path: string, body: string) =>
      (await post(path, body)).headers.get('x-cairn-units')
    deepEqual(await units(`/v3/${goodKey}`, 'no json'), '5')
    deepEqual(await units(`/v3/${goodKey}`, 'x'.repeat(6_000)), '5')
    deepEqual(await units('/v3/nosuchkey1234', call(1)), null)
    deepEqual(await units('/v3/key_rate_0001', call(1)), null)
  })

  test('a caller that leaves in the middle of its body is counted as gone, not as late', async () => {
    const { refused } = started.gateway
    const before = refused.length
    const connection = new RawConnection(started.port)
    connection.socket.write(
      `POST /v3/${goodKey} HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 90\r\n\r\n{"json`,
    )
    await connection.until('100 Continue')
    connection.socket.destroy()
    while (refused.length === before) await setImmediate()
    deepEqual(refused.at(-1)?.code, 'hung_up')
  })

  test('a body over the cap is refused by its length and by its bytes', async () => {
    const large = await post(`/v3/${goodKey}`, 'x'.repeat(6_000))
    deepEqual(
      [large.status, large.headers.get('connection'), await large.text()],
      [413, 'close', error(null, -32600, 'content length too large (6000>1000)')],
    )
    const chunk = `7d0\r\n${'['.padEnd(2_000)}\r\n`
    const head = `POST /v3/${goodKey} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n`
    match(
      await sendRaw(started.port, head, chunk, '0\r\n\r\n'),
      /^HTTP\/1.1 413 [^]*\[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"content length too large \(1001>1000\)"}}\]$/,
    )
  })

  test('items over the answer cap become response_too_large, those before stay', async () => {
    const long = call(1, 'm'.repeat(150))
    const replies = JSON.parse(
      await (await post(`/v3/${goodKey}`, `[${long},${long},${call(3)}]`)).text(),
    )
    deepEqual(
      replies.map((reply: { error: { code: number } }) => reply.error.code),
      [-32601, -32003, -32003],
    )
  })

  test('any bytes get a JSON-RPC reply or nothing, and the server lives', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const text = await (await post(`/v3/${goodKey}`, new Uint8Array(body))).text()
        if (text === '') return
        const parsed: unknown = JSON.parse(text)
        for (const reply of Array.isArray(parsed) ? parsed : [parsed])
          ok(reply.jsonrpc === '2.0' && 'id' in reply)
      }),
      { numRuns: 150 },
    )
    equal((await post(`/v3/${goodKey}`, call(1))).status, 200)
  })
})

test('work that ignores its signal is left behind soon after the deadline: 504', async () => {
  const clock = createManualClock()
  let begun: () => void = () => {}
  const running = new Promise<void>((resolve) => (begun = resolve))
  const gateway = createFakeGateway({ stuck: () => new Promise(() => begun()) })
  const started = await startRpcServer({ gateway, clock })
  const pending = fetch(`${started.url}/v3/${goodKey}`, {
    method: 'POST',
    body: call(1, 'stuck'),
    headers: { 'content-type': 'application/json' },
  })
  await running
  clock.advance(31_000)
  const response = await pending
  deepEqual(
    [response.status, await response.text()],
    [504, error(1, -32002, 'request timed out', { code: 'deadline' })],
  )
  const drained = started.stop()
  clock.advance(1)
  await drained
})

test('the bytes of an answer at hand are those of its text and its id, whatever they are written in', () => {
  for (const batch of [false, true]) {
    const writer = new ReplyWriter(1_000, 'request')
    for (const id of ['1', '"é"']) {
      for (const text of ['"0x1"', '"水"']) writer.add(id, { text, bytes: Buffer.byteLength(text) })
      writer.add(id, { text: '1', bytes: 1, proof: bundle })
    }
    const body = writer.body(batch)
    equal(body.bytes, Buffer.byteLength(body.text))
  }
})
