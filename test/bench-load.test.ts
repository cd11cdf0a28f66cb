// The load generator of the benchmark: which replies are valid, and which count as failures.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ChunkedBody } from '../bench/load/chunked-body.ts'
import { isGood } from '../bench/load/check-reply.ts'
import { rpcCall, withId, type Plan } from '../bench/load/plan.ts'
import { sendPlan } from '../bench/load/send.ts'
import { Splitter } from '../bench/load/splitter.ts'

const call = rpcCall('eth_chainId', [], '"0x539"', '0x539')

function plan(port: number, change: Partial<Plan> = {}): Plan {
  const rest = { calls: [call], ids: 'varied', connections: 4, count: 100, rate: null } as const
  return { port, paths: ['/a', '/b'], ...rest, ...change }
}

/** Replies with the result of `reply` for the call's ID. */
async function serve(reply: (id: number) => string, use: (port: number) => Promise<void>) {
  const ids: number[] = []
  const paths = new Set<string>()
  const server = createServer((request, response) => {
    let body = ''
    paths.add(request.url ?? '')
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: number }
      ids.push(id)
      const text = reply(id)
      response.writeHead(200, { 'content-length': text.length }).end(text)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return { ids, paths }
}

test('every call of a run has a different ID, and the paths alternate', async () => {
  const seen = await serve(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":"0x539"}`,
    async (port) => {
      const { count, failures } = await sendPlan(plan(port))
      assert.deepEqual([count, failures], [100, 0])
    },
  )
  assert.equal(new Set(seen.ids).size, 100)
  assert.deepEqual([...seen.paths].toSorted(), ['/a', '/b'])
})

test('a JSON-RPC error with status 200, a different ID and a different result are failures', async () => {
  const replies = [
    (id: number) => `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`,
    () => '{"jsonrpc":"2.0","id":1,"result":"0x539"}',
    (id: number) => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`,
  ]
  for (const reply of replies) {
    await serve(reply, async (port) => {
      const { failures, firstFailure } = await sendPlan(plan(port, { count: 10 }))
      assert.equal(failures, 10)
      assert.match(firstFailure ?? '', /^status 200/)
    })
  }
})

test('a server that drops connections causes failures and does not end the run', async () => {
  const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  assert.equal((await sendPlan(plan(port, { count: 12 }))).failures, 12)
  server.close()
})

test('with a rate, all calls are sent on time', async () => {
  await serve(
    (id) => `{"jsonrpc":"2.0","id":${id},"result":"0x539"}`,
    async (port) => {
      const { failures, elapsedMs } = await sendPlan(plan(port, { count: 100, rate: 1000 }))
      assert.equal(failures, 0)
      assert.ok(elapsedMs >= 98, `${elapsedMs} ms`)
    },
  )
})

test('a reply with other formatting is compared by ID and result', () => {
  const transaction = rpcCall('eth_getTransactionByHash', [], '', '0xab')
  const good = (body: string, of = call) => isGood({ status: 200, body }, of, '1000001')
  assert.ok(good('{"result":"0x539", "id":1000001}'))
  assert.ok(good('{"jsonrpc":"2.0","id":1000001,"result":{"hash":"0xab"}}', transaction))
  assert.ok(!good('{"jsonrpc":"2.0","id":1000002,"result":{"hash":"0xab"}}', transaction))
  assert.ok(!good('{"jsonrpc":"2.0","id":1000001,"result":null}', transaction))
  assert.ok(!isGood({ status: 503, body: '{"id":1000001,"result":"0x539"}' }, call, '1000001'))
  assert.equal(withId(call, 7).request[0].includes('"id":7,'), true)
})

test('replies are found at any chunk boundary of the socket', () => {
  const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'
  for (let cut = 1; cut < text.length; cut++) {
    const splitter = new Splitter()
    assert.equal(splitter.push(Buffer.from(text.slice(0, cut))), null)
    const reply = splitter.push(Buffer.from(text.slice(cut)))
    assert.deepEqual(reply, { status: 200, body: 'hello' })
  }
  assert.throws(() => new Splitter().push(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')))
})

test('a chunked body is read completely at any boundary, and its end is detected', () => {
  const body = 'first\r\nsecond'
  const sent = Buffer.from(
    `HTTP/1.1 200 OK\r\nTrailer: X\r\n\r\n5\r\n${body.slice(0, 5)}\r\n8\r\n${body.slice(5)}\r\n0\r\nX: y\r\n\r\n`,
  )
  for (let size = 1; size <= sent.length; size += 1) {
    let read = ''
    const chunked = new ChunkedBody((bytes) => (read += bytes.toString()))
    for (let at = 0; at < sent.length; at += size) {
      assert.equal(chunked.ended, false)
      chunked.push(sent.subarray(at, at + size))
    }
    assert.deepEqual([read, chunked.status, chunked.ended], [body, 200, true])
  }
})

test('a body without chunks, or with lines without end, is refused', () => {
  for (const sent of [
    'HTTP/1.1 401 x\r\nContent-Length: 2\r\n\r\nno\r\n',
    `HTTP/1.1 200 OK\r\n\r\n${'5'.repeat(100)}`,
  ]) {
    const chunked = new ChunkedBody(() => assert.fail('no bytes are known'))
    assert.throws(() => chunked.push(Buffer.from(sent)), /no size of a chunk|a line too long/)
  }
})
