// Promises of the IPFS API over a real socket: the order of checks, headers on every status, delayed and truncated replies, and
// forms that only hand-written clients send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from 'kubo-rpc-client'
import { type FilesServer, startFilesServer } from '../../test/fakes/files/files-server.ts'
import { RawConnection, sendRaw } from '../../test/fakes/raw-http.ts'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { until } from '../../test/fakes/until.ts'
import { Fault } from '../base/fault.ts'
import { cat } from './commands/files/cat.ts'
import type { CommandReply, KuboCommand } from './kubo-command.ts'

const demo = 'Infura IPFS - Getting started demo.\n'
const demoLine = (name: string) =>
  `{"Name":"${name}","Hash":"QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn","Size":"44"}\n`

type Account = { readonly key: string; readonly secret: string }
const basic = ({ key, secret }: Account) =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

function post(
  server: FilesServer,
  path: string,
  account: Account | null,
  init: { headers?: Record<string, string>; body?: string | FormData; method?: string } = {},
): Promise<Response> {
  const authorization: Record<string, string> =
    account === null ? {} : { Authorization: basic(account) }
  return fetch(`${server.url}/api/v0/${path}`, {
    method: 'POST',
    ...init,
    headers: { ...authorization, ...init.headers },
  })
}

function raw(account: Account, head: string, body = ''): string {
  return (
    `POST /api/v0/${head.replace('\n', ' HTTP/1.1\r\nHost: x\r\n')}\r\n` +
    `Authorization: ${basic(account)}\r\n\r\n${body}`
  )
}

const part = (disposition: string, body: string) =>
  `--B\r\nContent-Disposition: ${disposition}\r\n\r\n${body}\r\n--B--\r\n`
const formType = 'Content-Type: multipart/form-data; boundary=B'

/** A command under the name of an offered one, with a reply for the test. */
function fakeCat(reply: () => CommandReply | Promise<CommandReply>): KuboCommand<unknown> {
  return { ...cat, parse: () => null, run: async () => await reply() }
}

test('gates answer in their order', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const poor = server.newAccount({ hasCard: false })
  assert.equal((await post(server, 'nope', null, { method: 'GET' })).status, 405)
  const navigation = await sendRaw(
    server.port,
    'POST /api/v0/cat HTTP/1.1\r\nHost: x\r\nSec-Fetch-Mode: navigate\r\nConnection: close\r\n\r\n',
  )
  assert.match(navigation, /^HTTP\/1\.1 403 [^]*\r\n\r\n403 - Forbidden\n$/)
  assert.doesNotMatch(navigation, /www-authenticate/i)
  const page = { headers: { Origin: 'https://x.example', 'Content-Type': 'text/plain' }, body: 'x' }
  assert.equal((await post(server, 'cat', account, page)).status, 403)
  assert.equal((await post(server, 'nope', null)).status, 401)
  const unpaid = await post(server, 'nope', poor)
  assert.equal(unpaid.status, 402)
  assert.deepEqual(await unpaid.json(), {
    Message: 'billing card required: add a card to the account to use the file network',
    Code: 0,
    Type: 'error',
  })
  assert.equal((await post(server, 'nope', account)).status, 404)
  assert.equal((await post(server, 'key/sign?offset=x', account)).status, 403)
  assert.equal((await post(server, 'cat?offset=x', account)).status, 400)
})

test('credentials that are incomplete or not Basic have another error than wrong ones', async (t) => {
  const server = await startFilesServer(t)
  const { key } = server.newAccount()
  const text = async (header: string) => {
    const response = await post(server, 'version', null, { headers: { Authorization: header } })
    return ((await response.json()) as { Message: string }).Message
  }
  assert.equal(await text('Bearer abc'), 'project id required')
  assert.equal(await text(`Basic ${btoa('nocolon')}`), 'project id required')
  const wrong = 'invalid project id or project secret'
  assert.equal(await text(`Basic ${btoa(`${key}:`)}`), wrong)
  assert.equal(await text(`Basic ${btoa(':secret')}`), wrong)
  assert.equal(await text(`Basic ${btoa('unknown:secret')}`), wrong)
})

test('every status carries the headers of the API, and reflects an Origin', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const streams = 'X-Stream-Output, X-Chunked-Output, X-Content-Length'
  for (const path of ['version', 'nope', 'cat', 'key/sign']) {
    const { headers } = await post(server, path, account)
    assert.equal(headers.get('access-control-allow-headers'), streams)
    assert.equal(headers.get('access-control-expose-headers'), streams)
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(headers.get('vary'), 'Origin')
    assert.equal(headers.get('server'), 'cairn/0.1.0')
    assert.ok(headers.get('x-request-id'))
    const crossed = await post(server, path, account, { headers: { Origin: 'https://a.example' } })
    assert.equal(crossed.headers.get('access-control-allow-origin'), 'https://a.example')
    assert.equal(
      crossed.headers.get('access-control-expose-headers'),
      `${streams}, Retry-After, X-Request-Id`,
    )
  }
  const preflight = await post(server, 'add', null, {
    method: 'OPTIONS',
    headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /^authorization, /)
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST, OPTIONS')
})

test('parts without a file name, as attachments, quoted and with plus signs are added', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const add = async (disposition: string) => {
    const body = part(disposition, demo)
    const answer = await sendRaw(
      server.port,
      raw(account, `add\n${formType}\r\nConnection: close\r\nContent-Length: ${body.length}`, body),
    )
    assert.match(answer, /^HTTP\/1\.1 200 /)
    return answer
  }
  const unnamed = demoLine('QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
  assert.ok((await add('form-data; name="file"')).includes(unnamed))
  assert.ok((await add('attachment; filename="a.txt"')).includes(demoLine('a.txt')))
  assert.ok((await add('form-data; filename="h w.txt"')).includes(demoLine('h w.txt')))
  const escaped = await add('form-data; filename="a+b%2Bc\\"<.txt"')
  assert.ok(escaped.includes('{"Name":"a b+c\\"\\u003c.txt"'))
  assert.match(escaped, /\r\n0\r\nX-Stream-Error: ?\r\n\r\n$/)
})

test('a caller that waits for 100 Continue gets it only when all gates pass', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const body = part('form-data; filename="a"', demo)
  const head = `${formType}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}`
  const passing = new RawConnection(server.port)
  passing.socket.write(raw(account, `add\n${head}\r\nConnection: close`))
  await passing.until('100 Continue\r\n\r\n')
  passing.socket.write(body)
  assert.match(await passing.end(), /HTTP\/1\.1 200 [^]*"Hash":"Qme/)
  const refused = await sendRaw(server.port, raw(account, `add?pin=x\n${head}`))
  assert.match(refused, /^HTTP\/1\.1 400 /)
  assert.doesNotMatch(refused, /100 Continue/)
})

test('a body is refused by its declared length, and while it streams', async (t) => {
  const server = await startFilesServer(t, { settings: { uploadBytesMax: 100 } })
  const account = server.newAccount()
  const refusalOf = async (request: string): Promise<string> => {
    const connection = new RawConnection(server.port)
    connection.socket.write(request)
    const answer = await connection.until('"Type":"error"}')
    connection.socket.destroy()
    return answer
  }
  const declared = await refusalOf(raw(account, `add\n${formType}\r\nContent-Length: 101`))
  assert.match(declared, /^HTTP\/1\.1 413 [^]*"Message":"payload too large"/)
  assert.match(declared, /connection: close/i)
  const chunked = `add\n${formType}\r\nTransfer-Encoding: chunked`
  const streamed = await refusalOf(raw(account, chunked, `96\r\n${'x'.repeat(150)}\r\n`))
  assert.match(streamed, /^HTTP\/1\.1 413 /)
})

test('a truncated body, a missing boundary and an encoded body are refused', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const send = (headers: Record<string, string>, body: string) =>
    post(server, 'add', account, { headers, body })
  const form = { 'Content-Type': 'multipart/form-data; boundary=B' }
  const cut = await send(form, part('form-data; filename="a"', demo).slice(0, -6))
  assert.equal(cut.status, 400)
  assert.equal(await cut.text(), '{"Message":"multipart: NextPart: EOF","Code":1,"Type":"error"}\n')
  const bare = await send({ 'Content-Type': 'multipart/form-data' }, 'x')
  assert.equal(await bare.text(), 'no multipart boundary param in Content-Type\n')
  const encoded = await send({ ...form, 'Content-Encoding': 'gzip' }, 'x')
  assert.equal(encoded.status, 415)
  assert.equal(encoded.headers.get('content-type'), 'application/json')
})

test('an upload that stalls is answered 408', async (t) => {
  const clock = createManualClock()
  const server = await startFilesServer(t, { clock, settings: { idleMs: 60_000 } })
  const connection = new RawConnection(server.port)
  const head = `add\n${formType}\r\nExpect: 100-continue\r\nContent-Length: 1000`
  connection.socket.write(raw(server.newAccount(), head))
  await connection.until('100 Continue\r\n\r\n')
  clock.advance(60_000)
  await connection.until('request body timed out')
  clock.advance(1_000)
  assert.match(await connection.end(), /HTTP\/1\.1 408 /)
})

test('with encoding=text answers and errors are text, streams of bytes as they are', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const body = new FormData()
  body.append('file', new Blob([demo]), 'demo.txt')
  const request = async (path: string, init = {}) => {
    const response = await post(server, path, account, init)
    const type = response.headers.get('content-type')
    return [response.status, type, await response.text()]
  }
  const cid = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'
  const plain = 'text/plain'
  assert.deepEqual(await request('add?encoding=text', { body }), [
    200,
    plain,
    `added ${cid} demo.txt\n`,
  ])
  assert.deepEqual(await request('version?enc=text'), [200, plain, 'ipfs version 0.43.0\n'])
  assert.deepEqual(await request('pin/ls?encoding=text'), [200, plain, `${cid} recursive\n`])
  assert.deepEqual(await request(`cat?arg=${cid}&encoding=text`), [200, plain, demo])
  // A reply without a text form stays JSON.
  const [, type] = await request(`dag/stat?arg=${cid}&encoding=text`)
  assert.equal(type, 'application/json')
  assert.deepEqual(await request(`cat?arg=${cid}/x&encoding=text`), [
    500,
    plain,
    `no link named "x" under ${cid}`,
  ])
  const json = await request(`cat?arg=${cid}/x`)
  assert.deepEqual(json.slice(0, 2), [500, 'application/json'])
  assert.deepEqual(await request('version?encoding=xml'), [
    400,
    'text/plain; charset=utf-8',
    'invalid encoding: xml\n',
  ])
})

test('arguments come from lines of a body part too', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const form = { 'Content-Type': 'multipart/form-data; boundary=B' }
  const added = await post(server, 'add', account, {
    headers: form,
    body: part('form-data; filename="a"', demo),
  })
  const { Hash } = JSON.parse(await added.text()) as { Hash: string }
  const body = part('form-data; name="file"; filename="args"', `${Hash}\r\n${Hash}\n`)
  const read = await post(server, 'cat', account, { headers: form, body })
  assert.equal(await read.text(), demo + demo)
  assert.equal(read.headers.get('x-content-length'), '72')
  const empty = part('form-data; name="file"; filename="args"', '')
  const missing = await post(server, 'cat', account, { headers: form, body: empty })
  assert.equal(await missing.text(), 'argument "ipfs-path" is required\n')
})

test('a failure before the first byte is an answer, after it a cut connection', async (t) => {
  const failing = (chunks: readonly string[]): CommandReply => ({
    kind: 'bytes',
    length: 10n,
    chunks: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk)
      throw new Fault('unverified')
    })(),
  })
  const early = await startFilesServer(t, { operations: [fakeCat(() => failing([]))] })
  assert.equal((await post(early, 'cat?arg=x', early.newAccount())).status, 502)
  const late = await startFilesServer(t, { operations: [fakeCat(() => failing(['abc']))] })
  const whole = post(late, 'cat?arg=x', late.newAccount()).then((response) => response.text())
  await assert.rejects(whole)
  assert.deepEqual(late.settled, [{ outcome: 'unverified', in: 0, out: 3 }])
})

test('an endless reply ends at once when the server stops, and its end is no error', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const poll = () => {
    const connection = new RawConnection(server.port)
    connection.socket.write(raw(account, 'stats/bw?poll=true&interval=10m\nContent-Length: 0'))
    return connection
  }
  const [left, stopped] = [poll(), poll()]
  await Promise.all([left.until('"RateOut":0}'), stopped.until('"RateOut":0}')])
  left.socket.destroy()
  await until(() => assert.equal(server.settled.length, 1))
  await server.stop()
  assert.match(await stopped.end(), /\r\n0\r\n\r\n$/)
  const outcomes = server.settled.map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['ok', 'ok'])
})

test('an answer shorter than it promised is cut', async (t) => {
  const short = fakeCat(() => ({
    kind: 'bytes',
    length: 10n,
    chunks: (async function* () {
      yield Buffer.from('abc')
    })(),
  }))
  const server = await startFilesServer(t, { operations: [short] })
  const whole = post(server, 'cat?arg=x', server.newAccount()).then((response) => response.text())
  await assert.rejects(whole)
})

test('a bug is masked', async (t) => {
  const broken = fakeCat(() => {
    throw new TypeError('secret detail')
  })
  const server = await startFilesServer(t, { operations: [broken] })
  const response = await post(server, 'cat?arg=x', server.newAccount())
  assert.equal(response.status, 500)
  assert.equal(await response.text(), '{"Message":"internal error","Code":0,"Type":"error"}\n')
})

test('a rate refusal names seconds that no client takes for milliseconds', async (t) => {
  const refused = fakeCat(() => {
    throw new Fault('over_rate', { data: { rate: { backoff_seconds: 30 } } })
  })
  const server = await startFilesServer(t, { operations: [refused] })
  const response = await post(server, 'cat?arg=x', server.newAccount())
  assert.equal(response.status, 429)
  assert.equal(response.headers.get('retry-after'), '030')
})

test('uploads and answers are counted', async (t) => {
  const server = await startFilesServer(t)
  const body = part('form-data; filename="a"', demo)
  const headers = { 'Content-Type': 'multipart/form-data; boundary=B' }
  await (await post(server, 'add', server.newAccount(), { headers, body })).text()
  assert.deepEqual(server.settled, [{ outcome: 'ok', in: body.length, out: demoLine('a').length }])
})

test('kubo-rpc-client adds, reads, pins, lists and unpins', async (t) => {
  const server = await startFilesServer(t)
  const account = server.newAccount()
  const client = create({ url: server.url, headers: { Authorization: basic(account) } })
  const { cid, size, path } = await client.add(demo)
  assert.equal(path, 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn')
  assert.equal(size, 44)
  const text = async (options: { offset?: number; length?: number }) =>
    Buffer.concat(await Array.fromAsync(client.cat(cid, options))).toString()
  assert.equal(await text({}), demo)
  assert.equal(await text({ offset: 1, length: 5 }), 'nfura')
  const tree = await Array.fromAsync(
    client.addAll([
      { path: 'd' },
      { path: 'd/ü "x"+.txt', content: 'one\n', mode: 0o755 },
      { path: 'd/b.txt', content: Buffer.alloc(600_000) },
    ]),
  )
  assert.deepEqual(
    tree.map((entry) => entry.path),
    ['d/ü "x"+.txt', 'd/b.txt', 'd'],
  )
  assert.deepEqual(
    await Array.fromAsync(client.addAll([])).catch((error: Error) => error.message),
    'expected a file argument',
  )
  assert.equal(String(await client.pin.add(cid, { name: 'n' })), String(cid))
  const pins = await Array.fromAsync(client.pin.ls({ paths: [cid] }))
  assert.deepEqual([String(pins[0]?.cid), pins[0]?.type], [String(cid), 'recursive'])
  assert.equal(String(await client.pin.rm(cid)), String(cid))
  await assert.rejects(Array.fromAsync(client.pin.ls({ paths: [cid] })), /is not pinned/)
  assert.equal((await client.version()).version, '0.43.0')
  assert.equal((await client.id()).agentVersion, 'cairn/0.1.0')
  const seen: number[] = []
  await client.add(Buffer.alloc(600_000), { progress: (bytes) => seen.push(bytes) })
  assert.equal(seen.at(-1), 600_000)
})
