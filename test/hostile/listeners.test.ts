// The lean listener compared with node:http: the same bytes get the same replies, byte for byte, and the same end of the
// connection, for hand-written, split and generated requests. `CAIRN_FUZZ_BODIES` sets the number of generated ones.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import fc from 'fast-check'
import { createFakeGateway, goodKey, secret } from '../fakes/gateway.ts'
import { type RpcServer, startRpcServer } from '../fakes/rpc-server.ts'
import { parseReplies } from './raw-replies.ts'
import { goodCall, rawRequests } from './raw-requests.ts'

const path = `/v3/${goodKey}`
/** Makes the lean listener hand over to node:http immediately. */
const handed = -1
const probes = rawRequests(path)
const generated = Math.ceil(Number(process.env['CAIRN_FUZZ_BODIES'] ?? 20_000) / 50)

suite('the lean listener and node:http alone', { concurrency: 8 }, () => {
  let lean: RpcServer
  let node: RpcServer
  before(async () => {
    const later = () => new Promise((resolve) => setImmediate(resolve, '0x1'))
    const gateway = createFakeGateway({ later })
    const limits = { headersMs: 200, connectionsCheckMs: 50 }
    lean = await startRpcServer({ gateway, server: limits })
    node = await startRpcServer({ gateway, server: { ...limits, listener: 'node' } })
  })
  after(async () => {
    await lean.stop()
    await node.stop()
  })

  /**
   * Sends `requests` one after the other, split at `cut`. If node:http refuses bytes, it drops earlier calls that it has not
   * answered, and whether it has answered them depends on how it received the bytes: from the socket, or handed over (a leading
   * empty line, which it ignores, makes the lean listener hand over immediately). So the replies must be those of node:http to all
   * bytes, or its replies to the first part and then to the rest, handed over. Throws if they are neither, three times in a row,
   * because a reset may overtake a reply.
   */
  async function compare(
    requests: readonly string[],
    cut: number,
    how: { readonly hangUp: boolean; readonly heads?: readonly number[] | undefined },
  ): Promise<void> {
    const bytes = requests.join('')
    const send = async (port: number, from: number, to: number): Promise<readonly string[]> => {
      const lead = port === handed ? '\r\n' : ''
      const part = lead + bytes.slice(from, to)
      const at = Math.max(0, Math.min(part.length, cut + lead.length - from))
      const hangUp = how.hangUp || to < bytes.length
      const received = await exchange(
        port === handed ? lean.port : port,
        [part.slice(0, at), part.slice(at)],
        hangUp,
      )
      return alike(received, from === 0 ? how.heads : undefined)
    }
    const outcomes: unknown[] = []
    for (let round = 0; round < 3; round++) {
      const [ours, theirs] = await Promise.all([
        send(lean.port, 0, bytes.length),
        send(node.port, 0, bytes.length),
      ])
      if (isSame(ours, theirs)) return
      for (const end of endsOf(requests)) {
        const front = end === 0 ? [] : await send(node.port, 0, end)
        if (!isSame(ours.slice(0, front.length), front)) continue
        const closed = /^connection: close$/m.test(front.at(-1) ?? '')
        const rest = closed ? [] : await send(handed, end, bytes.length)
        if (isSame(ours.slice(front.length), rest)) return
      }
      outcomes.push({ ours, theirs })
    }
    assert.fail(JSON.stringify({ requests, cut, outcomes }, null, 2))
  }

  for (const probe of probes) {
    const good = probe.hangUp === true ? '' : goodCall(path, 'after', 'Connection: close\r\n')
    const how = { hangUp: probe.hangUp === true, heads: probe.heads }
    test(`${probe.name}: the same answer, sent whole and in two parts`, async () => {
      const cuts = [0, 1, Math.floor(probe.bytes.length / 2), probe.bytes.length - 1]
      await Promise.all(cuts.map((cut) => compare([probe.bytes, good], cut, how)))
    })
  }

  test('a valid call that arrives split at any byte gets the same reply', async () => {
    const bytes = goodCall(path, 'cut', 'Origin: https://a.example\r\nConnection: close\r\n')
    for (let at = 0; at < bytes.length; at++) await compare([bytes], at, { hangUp: false })
  })

  test('slow calls get the same answers and are cancelled when the client disconnects', async () => {
    const slow = goodCall(path, 'slow').replace('eth_chainId', 'later')
    const sized = slow.replace(/Length: \d+/, `Length: ${slow.split('\r\n\r\n')[1]?.length}`)
    const last = sized.replace('Host: a', 'Host: a\r\nConnection: close')
    await compare([sized, sized, last], 0, { hangUp: false })
    await compare([sized], 0, { hangUp: true })
  })

  test('a silent connection and one with half a head end in the same way', async () => {
    for (const half of ['', 'P', goodCall(path, 'half').slice(0, 60)]) {
      await compare([half], 0, { hangUp: false })
    }
  })

  test(`${generated} generated requests get the same answers`, async () => {
    const last = goodCall(path, 'last', 'Connection: close\r\n')
    const property = fc.asyncProperty(
      fc.array(anyRequest, { minLength: 1, maxLength: 3 }),
      fc.option(fc.nat(200), { nil: 0 }),
      (requests, cut) => compare([...requests, last], cut, { hangUp: true }),
    )
    await fc.assert(property, { numRuns: generated })
  })

  test('both listeners serve requests after all attacks', async () => {
    const reply = await exchange(lean.port, [goodCall(path, 'end', 'Connection: close\r\n')], false)
    assert.match(reply, /"id":"end","result":"0x539"\}$/)
  })
})

/** Returns everything received until the server closes. Sends each part in a separate write, as far as TCP permits. */
function exchange(port: number, pieces: readonly string[], hangUp: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(15_000, () => {
      socket.destroy()
      reject(new Error(`neither answered nor closed: ${JSON.stringify({ pieces, received })}`))
    })
    socket.on('data', (text) => (received += String(text)))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    const send = (at: number): void => {
      const piece = pieces[at]
      if (piece === undefined) {
        if (hangUp) socket.end()
      } else if (piece === '') send(at + 1)
      else socket.write(Buffer.from(piece, 'latin1'), () => setImmediate(send, at + 1))
    }
    send(0)
  })
}

/** Normalises replies: without Date and generated IDs, header names in lower case, lines sorted. */
function alike(received: string, heads?: readonly number[]): readonly string[] {
  let replies: ReturnType<typeof parseReplies>
  try {
    replies = parseReplies(received, heads)
  } catch {
    return [received]
  }
  return replies.map(({ head, body }) => {
    const [status = '', ...lines] = head.split('\r\n').filter((line) => line !== '')
    const sameLines = lines
      .map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase()))
      .map((line) => line.replace(/^date: .*/, 'date').replace(/^x-request-id: .*/, 'request id'))
    return [status, ...sameLines.toSorted(), body].join('\n')
  })
}

function isSame(answers: readonly string[], others: readonly string[]): boolean {
  return answers.length === others.length && answers.every((answer, at) => answer === others[at])
}

/** The position at which a request may end by its declared length: off by at most one, or none. */
function endsOf(requests: readonly string[]): readonly number[] {
  const ends = [0]
  let start = 0
  for (const request of requests) {
    const end = start + request.length
    ends.push(start + request.search(/\r\n\r\n/) + 4, end - 1, end, end + 1)
    start = end
  }
  return ends.filter((end) => end <= start)
}

const anyMethod = fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'GET', 'OPTIONS', 'PUT')
const targets = [
  ...Array.from({ length: 4 }, () => path),
  `/dev${path}`,
  `${path}/`,
  `${path}?a=b`,
  '/v3/unknown_key_1',
  '/v3',
  '/livez',
  '/nowhere',
  `/ws${path}`,
  `http://a${path}`,
  '/api/v0/version',
  '*',
]
const anyTarget = fc.constantFrom(...targets)
const anyVersion = fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0')
const oddHeaders = [
  'Host: a',
  'Host: b',
  'host:\ta\t ',
  'Content-Type: application/json',
  'Content-Type: text/html',
  'content-type: application/json ; charset=utf-8',
  'Content-Encoding: identity',
  'Content-Encoding: gzip',
  'Origin: https://a.example',
  'Origin: \xe9\xff',
  'Origin:',
  'User-Agent: x \t ',
  'X-Request-Id: abc',
  'X-Request-Id: a b',
  `Authorization: Basic ${btoa(`:${secret}`)}`,
  `Authorization: Basic ${btoa(`:wrong`)}`,
  'Authorization: Bearer x',
  'Connection: keep-alive',
  'Connection: close',
  'Connection: x, CLOSE',
  'Connection: Upgrade',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'TE: trailers',
  'Content-Length: 4',
  'X: ',
  'X : y',
  ' X: y',
  'X',
  'X: a\0b',
  'X: \x7f',
  'x-\xe9: 1',
  'Keep-Alive: timeout=1',
  'Proxy-Connection: close',
  `X: ${'x'.repeat(9_000)}`,
  `X: ${'x'.repeat(17_000)}`,
]
const anyHeaders = fc.array(fc.constantFrom(...oddHeaders), { maxLength: 4 })
const call = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`
const bodies = [
  call('1'),
  call('"a"'),
  call('1e3'),
  call('"\xc3\xa9"'),
  call('1').replace('eth_chainId', 'nothing'),
  `[${call('1')},${call('2')}]`,
  '{"jsonrpc":"2.0","method":"eth_chainId"}',
  '[]',
  '{}',
  '',
  'null',
  '{"',
  '\xe9',
  ' '.repeat(70_000) + call('1'),
]
const anyBody = fc.constantFrom(...bodies)
/** Difference between the declared and the real length. */
const anyLength = fc.constantFrom(0, 0, 0, 0, 0, 0, null, -1, 1)
const anyEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n')
const anyLead = fc.constantFrom('', '', '', '', '', '\r\n', '\n', ' ')

const anyRequest = fc
  .tuple(
    anyLead,
    anyMethod,
    anyTarget,
    anyVersion,
    fc.boolean(),
    anyHeaders,
    anyLength,
    anyEnd,
    anyBody,
  )
  .map(([lead, method, target, version, hosted, headers, off, end, body]) => {
    const lines = [`${method} ${target} ${version}`, ...(hosted ? ['Host: a'] : []), ...headers]
    if (off !== null) lines.push(`Content-Length: ${body.length + off}`)
    return `${lead}${lines.join(end)}${end}${end}${body}`
  })
