import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RawConnection, sendRaw } from '../../../test/fakes/raw-http.ts'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import type { Log } from '../../base/log.ts'
import { peerAddress } from '../request-head.ts'
import { createDateHeader } from '../text-answer.ts'
import { createDeadlines } from '../deadlines.ts'
import type { HttpExchange } from '../http-exchange.ts'
import { createLeanListener } from './lean-listener.ts'

function sendText(exchange: HttpExchange, text: string, bodyUnread = false): void {
  const own = ['content-length', String(text.length)]
  const ends = { bodyUnread, closes: bodyUnread }
  exchange.send({ status: 200, fixed: [], own, text, ascii: true, ...ends })
}

function post(body: string, headers = '', declared = body.length): string {
  return `POST /v3/some_key HTTP/1.1\r\nHost: a\r\nContent-Length: ${declared}\r\n${headers}\r\n${body}`
}

/** Echoes each body after `until` has settled. */
async function startListener(
  t: TestContext,
  options: {
    readonly until?: (body: string) => Promise<void> | null
    readonly answer?: (exchange: HttpExchange) => void | Promise<void>
    readonly logAnswers?: boolean
  } = {},
) {
  const clock = createManualClock()
  const deadlines = createDeadlines(1_000, clock)
  const lines: unknown[][] = []
  const handedOver: { readonly socket: Socket; readonly bytes: Promise<unknown> }[] = []
  const state = { draining: false }
  const bodies: string[] = []
  async function echo(exchange: HttpExchange): Promise<void> {
    const { ending, bytes } = await exchange.readBody(1_000_000, deadlines)
    const body = bytes.toString('latin1')
    bodies.push(body)
    await options.until?.(body)
    sendText(exchange, ending === 'whole' ? body : ending, ending !== 'whole')
  }
  const listener = createLeanListener({
    face: options.answer ?? echo,
    handOver(socket) {
      handedOver.push({ socket, bytes: once(socket, 'data') })
      socket.resume()
    },
    clientAddress: peerAddress,
    requestIdOf: (requested) => {
      if (requested === 'a bug') throw new TypeError('a bug')
      return requested ?? 'made'
    },
    draining: () => state.draining,
    statusTexts: { 400: 'Bad Request', 408: 'Request Timeout', 500: 'Internal Server Error' },
    dateOf: createDateHeader(clock),
    headersMs: 10_000,
    keepAliveMs: 75_000,
    connectionsCheckMs: 1_000,
    logAnswers: () => options.logAnswers ?? false,
    clock,
    log: ((...line: unknown[]) => lines.push(line)) as Log,
  })
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    listener.accept(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    listener.stop()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { clock, listener, lines, handedOver, state, bodies, port, sockets }
}

test('calls on one connection are answered one after the other, in order, however long each takes', async (t) => {
  const finish = new Map<string, () => void>()
  let begun: () => void = () => {}
  const next = () => new Promise<void>((resolve) => (begun = resolve))
  const { port, bodies } = await startListener(t, {
    until: (body) =>
      new Promise((resolve) => {
        finish.set(body, resolve)
        begun()
      }),
  })
  let began = next()
  const connection = new RawConnection(port)
  connection.socket.write(post('one') + post('two') + post('three', 'Connection: close\r\n'))
  for (const body of ['one', 'two', 'three']) {
    await began
    equal(bodies.at(-1), body, 'the next one is not begun before the last is answered')
    began = next()
    finish.get(body)?.()
  }
  const received = await connection.end()
  deepEqual(received.match(/(?:one|two|three)(?=HTTP|$)/g), ['one', 'two', 'three'])
  match(received, /Connection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\none/)
  match(received, /Connection: close\r\n\r\nthree$/)
})

test('a body is put together from however many pieces it comes in', async (t) => {
  const { port, bodies } = await startListener(t)
  const body = '{"a":"' + 'x'.repeat(300) + '"}'
  const connection = new RawConnection(port)
  const [head, rest] = [post('', '', body.length), body]
  connection.socket.write(head)
  for (let at = 0; at < rest.length; at += 7) {
    await new Promise<void>((resolve) => {
      connection.socket.write(rest.slice(at, at + 7), () => resolve())
    })
  }
  await connection.until('"}')
  deepEqual(bodies, [body])
})

test('a head is read anew when a byte of it differs from the one before', async (t) => {
  const { port, bodies } = await startListener(t)
  const connection = new RawConnection(port)
  for (const body of ['first', 'other', 'third one', '4']) {
    connection.socket.write(post(body))
    await connection.until(body)
  }
  connection.socket.write(post('last', 'Connection: close\r\n'))
  match(await connection.end(), /Connection: close\r\n\r\nlast$/)
  deepEqual(bodies, ['first', 'other', 'third one', '4', 'last'])
})

test('the first request that is not plain takes its connection along, with every byte of it', async (t) => {
  const { port, handedOver } = await startListener(t)
  const connection = new RawConnection(port)
  const odd = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\nand what follows'
  connection.socket.write(post('mine') + odd)
  await connection.until('mine')
  while (handedOver.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const [{ socket, bytes }] = handedOver as [(typeof handedOver)[number]]
  const [chunk] = (await bytes) as [Buffer]
  equal(chunk.toString(), odd)
  equal(socket.listenerCount('close') + socket.listenerCount('error'), 0, 'nothing of ours is left')
})

test('a connection that sends nothing is 408, one between two calls is closed in silence', async (t) => {
  const { port, clock, sockets } = await startListener(t)
  const silent = new RawConnection(port)
  const used = new RawConnection(port)
  used.socket.write(post('mine'))
  await used.until('mine')
  while (sockets.length < 2) await new Promise((resolve) => setImmediate(resolve))
  clock.advance(10_000)
  ok(!silent.closed)
  clock.advance(2_000)
  equal(await silent.end(), 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
  clock.advance(63_000)
  ok(!used.closed)
  clock.advance(2_000)
  match(await used.end(), /mine$/)
})

test('a call under way is not closed for being idle', async (t) => {
  let finish: () => void = () => {}
  let begun: () => void = () => {}
  const began = new Promise<void>((resolve) => (begun = resolve))
  const { port, clock } = await startListener(t, {
    until: () =>
      new Promise((resolve) => {
        finish = resolve
        begun()
      }),
  })
  const connection = new RawConnection(port)
  connection.socket.write(post('slow'))
  await began
  clock.advance(200_000)
  finish()
  match(await connection.until('slow'), /slow$/)
})

test('a body that does not end is late; a caller that hangs up in it is gone', async (t) => {
  const { port, clock, bodies } = await startListener(t)
  const late = new RawConnection(port)
  late.socket.write(post('half', '', 9))
  while (clock.timers < 2) await new Promise((resolve) => setImmediate(resolve))
  clock.advance(2_000)
  await late.until('late')
  clock.advance(1_000)
  match(await late.end(), /Connection: close\r\n\r\nlate$/)
  const closed = new RawConnection(port)
  closed.socket.end(post('half', '', 9))
  equal(await closed.end(), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  deepEqual(bodies, ['half', 'half'])
})

for (const how of ['destroy', 'end'] as const) {
  test(`a caller that hangs up (${how}) aborts its call`, async (t) => {
    let reason: unknown = null
    let begun: () => void = () => {}
    const began = new Promise<void>((resolve) => (begun = resolve))
    let aborted: () => void = () => {}
    const end = new Promise<void>((resolve) => (aborted = resolve))
    const { port } = await startListener(t, {
      answer: ({ signal }) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          aborted()
        })
        begun()
      },
    })
    const connection = new RawConnection(port)
    connection.socket.write(post('mine'))
    await began
    connection.socket[how]()
    await end
    equal((reason as { code?: string }).code, 'hung_up')
    await connection.end()
  })
}

test('a client that reads no replies is not read further, and is disconnected after a while', async (t) => {
  // One reply exceeds the socket buffers of a client that reads nothing.
  const text = 'x'.repeat(40_000_000)
  let answered = 0
  const { port, clock, sockets } = await startListener(t, {
    answer: (exchange) => {
      answered += 1
      sendText(exchange, text)
    },
  })
  const connection = new RawConnection(port)
  connection.socket.pause()
  connection.socket.write(post('a').repeat(200))
  while (sockets[0]?.writableNeedDrain !== true) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  equal(answered, 1, 'nothing more is begun')
  clock.advance(33_000)
  ok(sockets[0]?.destroyed)
})

test('a caller that takes no answers, and hangs up by half during a call, is cut in the end', async (t) => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  let begun = 0
  const { port, clock, sockets } = await startListener(t, {
    answer: async (exchange) => {
      begun += 1
      if (exchange.headers['x-request-id'] === undefined) sendText(exchange, 'x'.repeat(10_000))
      else await once(exchange.signal, 'abort')
    },
  })
  const connection = new RawConnection(port)
  connection.socket.pause()
  const send = async (request: string) => {
    const before = begun
    connection.socket.write(request)
    while (begun === before) await turn()
  }
  await send(post('a'))
  const [socket] = sockets as [Socket]
  // The system accepts no more bytes, as for a client with a full window, so the next reply would have to wait.
  Object.assign(socket, { _write: () => {}, _writev: null })
  await send(post('a'))
  await send(post('slow', 'X-Request-Id: slow\r\n'))
  connection.socket.end()
  while (!socket.writableEnded) await turn()
  ok(!socket.destroyed)
  clock.advance(33_000)
  ok(socket.destroyed)
})

test('a caller that takes its answers slowly gets all of them', async (t) => {
  const text = 'x'.repeat(300_000)
  const { port } = await startListener(t, { answer: (exchange) => sendText(exchange, text) })
  const received = await sendRaw(port, post('a').repeat(30) + post('a', 'Connection: close\r\n'))
  equal(received.split('HTTP/1.1 200 ').length - 1, 31)
  ok(received.endsWith(text))
})

test('of many calls in one packet an idle connection keeps no more than a head', async (t) => {
  const { port } = await startListener(t)
  const packet = post('a').repeat(800) + post('last', 'X: another head\r\n')
  const before = arrayBufferBytes()
  for (let count = 0; count < 64; count++) {
    const connection = new RawConnection(port)
    connection.socket.write(packet)
    await connection.until('\r\n\r\nlast')
  }
  const each = (arrayBufferBytes() - before) / 64
  ok(each < 16_384, `${each} bytes each`)
})

function arrayBufferBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().arrayBuffers
}

test('while the server drains, an answer ends its connection, and idle ones are closed', async (t) => {
  const { port, listener, state } = await startListener(t)
  const [first, idle] = [new RawConnection(port), new RawConnection(port)]
  for (const connection of [first, idle]) {
    connection.socket.write(post('mine'))
    await connection.until('mine')
  }
  state.draining = true
  first.socket.write(post('last'))
  match(await first.end(), /Connection: close\r\n\r\nlast$/)
  ok(!idle.closed)
  listener.closeIdle()
  await idle.end()
})

test('calls that came before the server drains are all answered, whether they wait or not', async (t) => {
  const finish: (() => void)[] = []
  const { port, state, bodies } = await startListener(t, {
    until: (body) =>
      body === 'slow' ? new Promise<void>((resolve) => finish.push(resolve)) : null,
  })
  const connection = new RawConnection(port)
  connection.socket.write(post('slow') + post('next') + post('slow') + post('last'))
  while (bodies.length < 1) await new Promise((resolve) => setImmediate(resolve))
  state.draining = true
  finish.shift()?.()
  await connection.until('next')
  while (finish.length === 0 && !connection.closed) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  finish.shift()?.()
  match(await connection.end(), /slow[^]*next[^]*slow[^]*Connection: close\r\n\r\nlast$/)
  equal(connection.received.split('Connection: close').length, 2)

  const atOnce = await startListener(t, { answer: (exchange) => sendText(exchange, 'done') })
  atOnce.state.draining = true
  const received = await sendRaw(atOnce.port, post('one').repeat(3))
  match(received, /^(?:[^]*keep-alive[^]*done){2}[^]*Connection: close\r\n\r\ndone$/)
})

test('what goes wrong in the listener itself is logged and ends that connection alone', async (t) => {
  const { port, lines } = await startListener(t)
  const [first, other] = [new RawConnection(port), new RawConnection(port)]
  first.socket.write(post('mine', 'X-Request-Id: a bug\r\n'))
  equal(await first.end(), '')
  deepEqual(lines[0]?.slice(0, 2), ['error', 'a connection failed'])
  other.socket.write(post('mine', 'Connection: close\r\n'))
  match(await other.end(), /mine$/)
})

test('each answer is a line of the log if requested, and so is a call without one', async (t) => {
  let begun: () => void = () => {}
  const began = new Promise<void>((resolve) => (begun = resolve))
  const { port, lines } = await startListener(t, {
    logAnswers: true,
    until: (body) => (body === 'held' ? (begun(), new Promise(() => {})) : null),
  })
  const connection = new RawConnection(port)
  connection.socket.write(post('mine', 'X-Request-Id: 7\r\n'))
  await connection.until('mine')
  deepEqual(lines, [
    ['debug', 'request', { requestId: '7', method: 'POST', status: 200, ended: true, ms: 0 }],
  ])
  connection.socket.write(post('held'))
  await began
  connection.socket.destroy()
  while (lines.length < 2) await new Promise((resolve) => setImmediate(resolve))
  deepEqual(lines[1]?.[2], {
    requestId: 'made',
    method: 'POST',
    status: 0,
    ended: false,
    ms: 0,
  })
})

test('answers that wait for the end of the turn go out before their connection is closed as idle', async (t) => {
  let close: () => void = () => {}
  const { port, listener } = await startListener(t, {
    answer: (exchange) => {
      sendText(exchange, 'mine')
      close()
    },
  })
  close = () => listener.closeIdle()
  const connection = new RawConnection(port)
  connection.socket.write(post('a'))
  match(await connection.end(), /Connection: keep-alive[^]*mine$/)
})

test('many connections at once, some with several calls in a packet, each get all of their answers in order', async (t) => {
  const { port } = await startListener(t)
  const connections = Array.from({ length: 40 }, () => new RawConnection(port))
  for (let round = 0; round < 5; round++) {
    const bodies = connections.map((_, at) =>
      Array.from({ length: 1 + (at % 3) }, (_each, call) => `${round}.${at}.${call}!`),
    )
    connections.forEach(({ socket }, at) => {
      socket.write((bodies[at] as string[]).map((body) => post(body)).join(''))
    })
    await Promise.all(connections.map((one, at) => one.until(bodies[at]?.at(-1) as string)))
  }
  for (const [at, { received }] of connections.entries()) {
    const expected = Array.from({ length: 5 }, (_, round) =>
      Array.from({ length: 1 + (at % 3) }, (_each, call) => `${round}.${at}.${call}!`),
    )
    deepEqual(received.match(/[\d.]+!/g), expected.flat())
  }
  for (const { socket } of connections) socket.destroy()
})
