import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  errorAnswer,
  startRpcUpstream,
  type RpcAnswer,
} from '../../../../test/fakes/upstream/json-rpc-upstream.ts'
import { createManualClock } from '../../../../test/fakes/manual-clock.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type JsonRpcClient, createJsonRpcClient } from './json-rpc-client.ts'
import { UpstreamError } from './upstream-error.ts'

const never = new AbortController().signal
const read = { repeatable: true }

type Options = Partial<Parameters<typeof createJsonRpcClient>[0]>

function clientOf(url: string, options: Options = {}): JsonRpcClient & AsyncDisposable {
  const client = createJsonRpcClient({
    url,
    headers: {},
    connections: 4,
    timeoutMs: 5_000,
    replyBytesMax: 1024 * 1024,
    clock: systemClock,
    ...options,
  })
  return { ...client, [Symbol.asyncDispose]: () => client.close() }
}

async function failureOf(work: Promise<unknown>): Promise<UpstreamError> {
  try {
    assert.fail(`answered ${JSON.stringify(await work)}`)
  } catch (error) {
    if (error instanceof UpstreamError) return error
    throw error
  }
}

async function failureBy(answer: RpcAnswer, options: Options = {}): Promise<UpstreamError> {
  await using upstream = await startRpcUpstream(answer)
  await using client = clientOf(upstream.url, options)
  return await failureOf(client.call('eth_test', [], read, never))
}

/** Writes these bytes for each request. */
async function startRaw(write: (socket: Socket, turn: number) => void) {
  let turns = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => write(socket, ++turns))
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get turns() {
      return turns
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      await closed.promise
    },
  }
}

test('a call is one POST with method, params and its own id, and its result is the answer', async () => {
  await using upstream = await startRpcUpstream(({ params }) => ({ got: params }))
  await using client = clientOf(`${upstream.url}/path/with?a=key`, { connections: 1 })
  assert.deepEqual(await client.call('eth_test', ['0x1', null], read, never), {
    got: ['0x1', null],
  })
  assert.equal(
    (await client.call('eth_other', { json: '[ 9007199254740993 ]' }, read, never)) === null,
    false,
  )
  const [first, second] = upstream.received
  assert.equal(first?.path, '/path/with?a=key')
  assert.equal(first?.headers['content-type'], 'application/json')
  assert.equal(first?.headers['accept-encoding'], 'identity')
  assert.equal(second?.method, 'eth_other')
  assert.notEqual(first?.id, second?.id)
  assert.equal(upstream.sockets, 1)
})

test('a result of null is an answer', async () => {
  await using upstream = await startRpcUpstream(() => null)
  await using client = clientOf(upstream.url)
  assert.equal(await client.call('eth_test', [], read, never), null)
})

test('headers of the settings and credentials of the URL go with each call', async () => {
  await using upstream = await startRpcUpstream(() => 1)
  const url = upstream.url.replace('http://', 'http://us%40er:pass@')
  await using client = clientOf(url, { headers: { 'X-Token': 'secret' } })
  await client.call('eth_test', [], read, never)
  const { headers } = upstream.received[0] ?? assert.fail('nothing asked')
  assert.equal(headers['x-token'], 'secret')
  assert.equal(headers.authorization, `Basic ${Buffer.from('us@er:pass').toString('base64')}`)
})

test('a response that does not answer this call is trouble', async () => {
  const bodies: readonly string[] = [
    '<html><body>welcome</body></html>',
    '',
    'null',
    '[]',
    '"text"',
    '{"jsonrpc":"2.0","id":"1","result":1}',
    '{"jsonrpc":"2.0","id":999,"result":1}',
    '{"jsonrpc":"2.0","id":null,"result":1}',
    '{"jsonrpc":"2.0","result":1}',
    '{"jsonrpc":"1.0","id":1,"result":1}',
    '{"id":1,"result":1}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":3,"message":"reverted"}}',
    '{"jsonrpc":"2.0","id":1,"result":1,"error":null}',
    '{"jsonrpc":"2.0","id":1,"error":null}',
    '{"jsonrpc":"2.0","id":1,"error":"text"}',
    '{"jsonrpc":"2.0","id":1,"error":{"message":"no code"}}',
    '[{"jsonrpc":"2.0","id":1,"result":1}]',
    '{"jsonrpc":"2.0","id":1,"result":1',
  ]
  for (const body of bodies) {
    const error = await failureBy((_asked, response) => void response.end(body))
    assert.equal(error.kind, 'trouble', body)
    assert.equal(error.phase, 'answering')
  }
})

test('a body that is cut, compressed, too large or not HTTP is trouble', async () => {
  const cut = await failureBy((_asked, response) => {
    response.setHeader('content-length', 100)
    response.write('{"jsonrpc"')
    setImmediate(() => response.destroy())
  })
  assert.equal(cut.kind, 'trouble')
  const packed = await failureBy((_asked, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end('x')
  })
  assert.match(packed.message, /content encoding/)
  for (const declared of [true, false]) {
    const large = await failureBy(
      (_asked, response) => {
        if (declared) response.setHeader('content-length', 2048)
        else response.write('x')
        response.end('x'.repeat(declared ? 2048 : 2047))
      },
      { replyBytesMax: 1024 },
    )
    assert.equal(large.kind, 'trouble')
  }
  await using raw = await startRaw((socket) => socket.end('SMTP hello\r\n\r\n'))
  await using client = clientOf(raw.url)
  assert.equal((await failureOf(client.call('eth_test', [], read, never))).kind, 'trouble')
})

test('if random bytes arrive in random pieces, the call ends with trouble', async () => {
  // A pseudo-random generator with a fixed seed, so that every run has the same bytes.
  let seed = 12345
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
  const heads = ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n']
  await using raw = await startRaw((socket) => {
    const bytes = Buffer.from(Array.from({ length: next(200) }, () => next(256)))
    socket.write(heads[next(heads.length)] ?? '')
    socket.write(bytes)
    setImmediate(() => socket.destroy())
  })
  await using client = clientOf(raw.url)
  for (let i = 0; i < 100; i++) {
    assert.equal((await failureOf(client.call('eth_test', [], read, never))).kind, 'trouble')
  }
})

test('a redirect is not followed', async () => {
  await using other = await startRpcUpstream(() => 1)
  const error = await failureBy((_asked, response) => {
    response.writeHead(307, { location: other.url }).end()
  })
  assert.equal(error.kind, 'trouble')
  assert.equal(other.received.length, 0)
})

test('a result with a bad status is no result, and Retry-After is reported', async () => {
  const error = await failureBy(({ id }, response) => {
    response.writeHead(429, { 'retry-after': '7' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: 1 }))
  })
  assert.equal(error.kind, 'rate_limit')
  assert.equal(error.status, 429)
  assert.equal(error.retryAfterMs, 7_000)
  const dated = await failureBy((_asked, response) => {
    const at = new Date(systemClock.now() + 3_600_000).toUTCString()
    response.writeHead(503, { 'retry-after': at }).end()
  })
  assert.equal(dated.kind, 'trouble')
  assert.equal(dated.retryAfterMs, 600_000)
})

test('an error of the node has its code, message and the bytes of a revert', async () => {
  const error = await failureBy(
    errorAnswer({ code: 3, message: 'execution reverted: no', data: '0x08c379a0' }),
  )
  const { kind, code, message, data } = error
  assert.deepEqual(
    { kind, code, message, data },
    { kind: 'execution', code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
  )
})

test('no secret of the upstream is in an error', async () => {
  const answer = errorAnswer({
    code: -32000,
    message: 'bad key topsecretkey at http://h.example/topsecretkey',
    data: { hint: 'topsecretkey' },
  })
  await using upstream = await startRpcUpstream(answer)
  await using client = clientOf(`${upstream.url}/v3/topsecretkey`)
  const error = await failureOf(client.call('eth_test', [], read, never))
  const shown = JSON.stringify([error.message, error.data, error.stack, error.cause])
  assert.ok(!shown.includes('topsecretkey'), shown)
  await using unreachable = clientOf('http://127.0.0.1:1/v3/topsecretkey')
  const refused = await failureOf(unreachable.call('eth_test', [], read, never))
  assert.equal(refused.phase, 'unsent')
  assert.equal(refused.message, 'ECONNREFUSED')
})

test('a call that takes too long is trouble, even while bytes arrive slowly', async () => {
  const clock = createManualClock()
  const started = Promise.withResolvers<void>()
  await using upstream = await startRpcUpstream((_asked, response) => {
    response.write(' ')
    started.resolve()
  })
  await using client = clientOf(upstream.url, { clock })
  const call = failureOf(client.call('eth_test', [], read, never))
  await started.promise
  clock.advance(5_000)
  const error = await call
  assert.equal(error.kind, 'trouble')
  assert.equal(error.message, 'no answer in time')
  assert.equal(clock.timers, 0)
})

test('a caller that leaves ends its call alone', async () => {
  const requested = Promise.withResolvers<void>()
  await using upstream = await startRpcUpstream(({ method }) => {
    if (method === 'eth_fast') return 1
    requested.resolve()
    return undefined
  })
  await using client = clientOf(upstream.url)
  const leaver = new AbortController()
  const left = client.call('eth_slow', [], read, leaver.signal)
  await requested.promise
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  await assert.rejects(client.call('eth_fast', [], read, leaver.signal), /gone/)
  assert.equal(await client.call('eth_fast', [], read, never), 1)
})

test('a read on a reused socket that was closed is sent again once; other calls are not', async () => {
  const reply = (id: number) => {
    const body = `{"jsonrpc":"2.0","id":${id},"result":"ok"}`
    return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
  for (const [repeatable, cut] of [
    [true, 'destroy'],
    [true, 'resetAndDestroy'],
    [false, 'destroy'],
    [false, 'resetAndDestroy'],
  ] as const) {
    // The first exchange gets a reply; the next one on that socket is closed without a byte.
    await using raw = await startRaw((socket, turn) => {
      if (turn === 2) socket[cut]()
      else socket.write(reply(turn === 1 ? 1 : 2))
    })
    await using client = clientOf(raw.url, { connections: 1 })
    assert.equal(await client.call('eth_a', [], { repeatable }, never), 'ok')
    const again = client.call('eth_b', [], { repeatable }, never)
    if (repeatable) assert.equal(await again, 'ok')
    else assert.equal((await failureOf(again)).phase, 'sent')
    assert.equal(raw.turns, repeatable ? 3 : 2)
  }
})

test('a call on a fresh socket that is closed is not sent again, and a second close fails it', async () => {
  await using raw = await startRaw((socket) => socket.destroy())
  await using client = clientOf(raw.url, { connections: 1 })
  assert.equal((await failureOf(client.call('eth_a', [], read, never))).kind, 'trouble')
  assert.equal(raw.turns, 1)
})

test('the total size of replies being read is limited', async () => {
  const clock: Clock = systemClock
  const half = 600
  await using upstream = await startRpcUpstream((_asked, response) => {
    response.write('x'.repeat(half))
  })
  await using client = clientOf(upstream.url, {
    replyBytesMax: 1000,
    connections: 16,
    clock,
    timeoutMs: 10_000,
  })
  const leaver = new AbortController()
  const calls = Array.from({ length: 8 }, () =>
    client.call('eth_test', [], read, leaver.signal).catch((error: unknown) => error),
  )
  const first = await Promise.race(calls)
  assert.match(String(first), /too many bytes/)
  leaver.abort(new Error('gone'))
  await Promise.all(calls)
})

test('the number of calls that wait for a connection is limited, including those of callers that left', async () => {
  const requested = Promise.withResolvers<void>()
  await using upstream = await startRpcUpstream(() => requested.resolve())
  await using client = clientOf(upstream.url, { connections: 1 })
  const leaver = new AbortController()
  const first = client.call('eth_first', [], read, leaver.signal)
  await requested.promise
  const waiting = Array.from({ length: 16 }, () => client.call('eth_test', [], read, leaver.signal))
  const refused = await failureOf(client.call('eth_test', [], read, never))
  assert.equal(refused.phase, 'unsent')
  assert.match(refused.message, /too many calls wait/)
  leaver.abort(new Error('gone'))
  for (const call of [first, ...waiting]) await assert.rejects(call, /gone/)
})

test('closing ends the calls in flight', async () => {
  const requested = Promise.withResolvers<void>()
  await using upstream = await startRpcUpstream(() => requested.resolve())
  const client = clientOf(upstream.url)
  const call = failureOf(client.call('eth_test', [], read, never))
  await requested.promise
  await client.close()
  assert.equal((await call).kind, 'trouble')
  assert.equal((await failureOf(client.call('eth_test', [], read, never))).phase, 'unsent')
})
