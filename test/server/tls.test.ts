// A started server with TLS: the same APIs for real clients, and a certificate that is replaced while the server runs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { makeCertificate, missingOpenssl } from '../fakes/people/make-certificate.ts'
import { missingCurl } from '../fakes/programs.ts'
import { openWebSocket, refusedUpgrade } from '../fakes/web-socket-client.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const skip = missingOpenssl() ?? false

type Secure = {
  readonly server: Started
  readonly folder: string
  readonly files: { readonly certificateFile: string; readonly keyFile: string }
  /** PEM text of the certificate. */
  readonly ca: string
  /** Waits for a log line with this event. */
  readonly said: (event: string) => Promise<Readonly<Record<string, unknown>>>
}

async function start(t: TestContext, env: Record<string, string> = {}): Promise<Secure> {
  const folder = await temporaryFolder()
  const files = makeCertificate(folder, 'first')
  const server = await startCairn({
    env: {
      CAIRN_HTTP_TLS_CERTIFICATE_FILE: files.certificateFile,
      CAIRN_HTTP_TLS_KEY_FILE: files.keyFile,
      ...env,
    },
  })
  t.after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const lines: Readonly<Record<string, unknown>>[] = []
  let wake = (): void => {}
  assert.ok(server.child.stderr)
  createInterface({ input: server.child.stderr }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line) as Readonly<Record<string, unknown>>)
    wake()
  })
  async function said(event: string) {
    for (;;) {
      const found = lines.find((line) => line['event'] === event)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const ca = await readFile(files.certificateFile, 'utf8')
  return { server, folder, files, ca, said }
}

type Reply = { readonly status: number; readonly text: string; readonly reused: boolean }

function ask(
  url: string,
  options: { readonly method?: string; readonly ca?: string; readonly agent?: Agent },
  body?: string,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...options,
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, text, reused: sent.reusedSocket }),
      )
    })
    sent.end(body)
  })
}

const chainId = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
const chainIdReply = '{"jsonrpc":"2.0","id":1,"result":"0x539"}'

test('all APIs answer over TLS, and the printed URLs say https', { skip }, async (t) => {
  const { server, ca, folder } = await start(t, { CAIRN_CARD_ADAPTER: 'none' })
  const { url, apiKey, apiKeySecret } = server
  assert.match(url, /^https:\/\/127\.0\.0\.1:/)
  assert.match(server.firstRunLink ?? '', /^https:/)

  await t.test('JSON-RPC, several calls on one connection', async () => {
    const agent = new Agent({ keepAlive: true, ca, maxSockets: 1 })
    for (let round = 0; round < 3; round++) {
      const reply = await ask(`${url}/v3/${apiKey}`, { agent }, chainId)
      assert.deepEqual(reply, { status: 200, text: chainIdReply, reused: round > 0 })
    }
    // A long batch leaves the fast path: node:http takes over the same connection.
    const batch = `[${Array.from({ length: 90 }, () => chainId).join(',')}]`
    const long = batch.replaceAll('"params":[]', `"params":[${' '.repeat(1000)}]`)
    const reply = await ask(`${url}/v3/${apiKey}`, { agent }, long)
    assert.equal(reply.reused, true)
    assert.equal((JSON.parse(reply.text) as unknown[]).length, 90)
    assert.equal((await ask(`${url}/livez`, { agent, method: 'GET' })).status, 200)
    agent.destroy()
  })

  await t.test('a WebSocket, and a refused one', async () => {
    const client = await openWebSocket(`${url}/ws/v3/${apiKey}`, { ca })
    assert.equal((await client.ask('eth_chainId')).result, '0x539')
    await client.close()
    assert.equal((await refusedUpgrade(`${url}/ws/v3/wrong-key-0001`, { ca })).status, 401)
  })

  await t.test('curl, for an upload and a download', { skip: missingCurl() ?? false }, async () => {
    const file = join(folder, 'hello.txt')
    await writeFile(file, 'hello over TLS\n'.repeat(100_000))
    const curl = async (...args: string[]) =>
      (
        await promisify(execFile)('curl', ['-sS', '--cacert', join(folder, 'first.pem'), ...args], {
          maxBuffer: 1e8,
        })
      ).stdout
    const pair = `${apiKey}:${apiKeySecret}`
    const added = await curl('-u', pair, '-F', `file=@${file}`, `${url}/api/v0/add`)
    const { Hash: cid } = JSON.parse(added) as { Hash: string }
    const read = await curl('-u', pair, '-X', 'POST', `${url}/api/v0/cat?arg=${cid}`)
    assert.equal(read, await readFile(file, 'utf8'))
  })

  await t.test(
    'commands of the same machine, which trust the certificate of the settings',
    async () => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [bin, 'add', join(folder, 'first.pem'), '--json', '--data-dir', server.dataDir],
        {
          env: {
            ...process.env,
            CAIRN_HTTP_PORT: new URL(url).port,
            CAIRN_HTTP_TLS_CERTIFICATE_FILE: join(folder, 'first.pem'),
            CAIRN_HTTP_TLS_KEY_FILE: join(folder, 'first.key'),
            CAIRN_KEY: apiKey,
            CAIRN_SECRET: apiKeySecret,
          },
        },
      )
      assert.match(stdout, /"cid": ?"/)
    },
  )

  await t.test('the dashboard signs in with cookies that need TLS', async () => {
    const body = JSON.stringify({
      link: server.firstRunLink?.split('#')[1],
      email: 'ada@example.org',
      name: 'Ada',
      password: 'a stone on a stone',
    })
    const cookies = await new Promise<readonly string[]>((resolve, reject) => {
      const origin = url.replace('127.0.0.1', 'localhost')
      const headers = { 'content-type': 'application/json', origin, 'x-cairn-admin': '1' }
      const sent = request(`${origin}/api/v1/welcome`, { method: 'POST', ca, headers })
      sent.once('error', reject)
      sent.once('response', (response) => {
        response.resume()
        resolve(response.headers['set-cookie'] ?? [])
      })
      sent.end(body)
    })
    assert.ok(cookies.length > 0)
    for (const cookie of cookies) assert.match(cookie, /^__Host-cairn.*; Secure$/)
  })

  await t.test('plain HTTP, an old protocol and a wrong name are refused', async () => {
    await assert.rejects(fetch(url.replace('https', 'http')))
    const { port } = new URL(url)
    const old = connect({ port: Number(port), host: '127.0.0.1', maxVersion: 'TLSv1.1', ca })
    await assert.rejects(once(old, 'secureConnect'))
    await assert.rejects(ask(`${url}/livez`, { method: 'GET' }), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })
})

function serialOf(socket: TLSSocket): string {
  return socket.getPeerCertificate().serialNumber
}

async function open(url: string): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  return socket
}

test(
  'a replaced certificate is used for new connections, and open ones go on',
  { skip },
  async (t) => {
    const { server, folder, files, ca, said } = await start(t)
    const agent = new Agent({ keepAlive: true, ca, maxSockets: 1 })
    const client = await openWebSocket(`${server.url}/ws/v3/${server.apiKey}`, { ca })
    await ask(`${server.url}/v3/${server.apiKey}`, { agent }, chainId)
    const before = await open(server.url)
    const second = makeCertificate(folder, 'second')

    // While only one of the two files is replaced, the pair does not match, so the old one remains in use.
    await copyFile(second.keyFile, `${files.keyFile}.new`)
    await rename(`${files.keyFile}.new`, files.keyFile)
    assert.match(String((await said('tls_certificate_refused'))['error']), /does not belong/)
    const between = await open(server.url)
    assert.equal(serialOf(between), serialOf(before))

    await copyFile(second.certificateFile, `${files.certificateFile}.new`)
    await rename(`${files.certificateFile}.new`, files.certificateFile)
    server.child.kill('SIGHUP')
    assert.deepEqual((await said('tls_certificate_changed'))['names'], ['localhost', '127.0.0.1'])
    const after = await open(server.url)
    assert.notEqual(serialOf(after), serialOf(before))

    const reply = await ask(`${server.url}/v3/${server.apiKey}`, { agent }, chainId)
    assert.deepEqual(reply, { status: 200, text: chainIdReply, reused: true })
    assert.equal((await client.ask('eth_chainId')).result, '0x539')
    await client.close()
    for (const socket of [before, between, after]) socket.destroy()
    agent.destroy()
  },
)

test(
  'a client that never ends its handshake is disconnected, and connections of one address are limited',
  { skip },
  async (t) => {
    const { server, ca } = await start(t, {
      CAIRN_HTTP_HEADERS_MS: '300',
      CAIRN_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '4',
    })
    const { hostname: host, port } = new URL(server.url)
    const silent = connectTcp({ host, port: Number(port) })
    await once(silent, 'close')

    // Idle connections of the address are closed for new ones.
    const sockets: TLSSocket[] = []
    for (let number = 0; number < 12; number++) sockets.push(await open(server.url))
    const reply = await ask(`${server.url}/v3/${server.apiKey}`, { ca }, chainId)
    assert.equal(reply.text, chainIdReply)
    for (const socket of sockets) socket.destroy()
  },
)

test('a stop lets a call in flight end, over TLS too', { skip }, async (t) => {
  const { server, ca } = await start(t)
  const agent = new Agent({ keepAlive: true, ca })
  await ask(`${server.url}/v3/${server.apiKey}`, { agent }, chainId)
  assert.equal(await server.stop(), 0)
  agent.destroy()
})

test('wrong files end the start with a sentence', { skip }, async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const first = makeCertificate(folder, 'first')
  const second = makeCertificate(folder, 'second')
  const env = {
    CAIRN_HTTP_TLS_CERTIFICATE_FILE: first.certificateFile,
    CAIRN_HTTP_TLS_KEY_FILE: second.keyFile,
  }
  await assert.rejects(startCairn({ dataDir: folder, env }), /does not belong to the certificate/)
  await assert.rejects(
    startCairn({
      dataDir: folder,
      env: { CAIRN_HTTP_TLS_CERTIFICATE_FILE: first.certificateFile },
    }),
    /http\.tls\.certificateFile is set, expected http\.tls\.keyFile too/,
  )
})
