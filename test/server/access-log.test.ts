// The access log of a started server: one line per request of every API, without secrets and without delaying requests. And the
// list of recent errors.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import WebSocket from 'ws'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { parseMetrics } from '../fakes/metrics-text.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

type Line = Readonly<Record<string, unknown>>

const on = { CAIRN_ACCESS_LOG_ENABLED: 'true' }

async function start(t: TestContext, env: Record<string, string>): Promise<Started> {
  const server = await startCairn({ env: { ...on, ...env } })
  t.after(() => server.stop())
  return server
}

/** Lines on standard output; `next` waits for one. */
function follow({ child: { stdout } }: Started) {
  assert.ok(stdout)
  const texts: string[] = []
  let wake = (): void => {}
  createInterface({ input: stdout }).on('line', (line) => {
    texts.push(line)
    wake()
  })
  let read = 0
  async function next(): Promise<Line> {
    while (texts.length === read) await new Promise<void>((resolve) => (wake = resolve))
    return JSON.parse(texts[read++] as string) as Line
  }
  return {
    texts,
    next,
    /** The next line with this method. */
    async until(method: string): Promise<Line> {
      for (;;) {
        const line = await next()
        if (line['method'] === method) return line
      }
    },
  }
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const call = (method: string, params: readonly unknown[] = []) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
})

function basicOf({ apiKey, apiKeySecret }: Started): { authorization: string } {
  return { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
}

test('every API writes one line per request, and no line contains a key, a secret, a path or a parameter', async (t) => {
  const server = await start(t, { CAIRN_CARD_ADAPTER: 'none' })
  const log = follow(server)
  const { url, apiKey, apiKeySecret } = server
  const rpcUrl = `${url}/v3/${apiKey}`
  const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

  await post(rpcUrl, call('eth_getStorageAt', [address, '0x0', 'latest']), {
    'x-request-id': 'one',
  })
  const stored = await log.next()
  assert.deepEqual(
    { ...stored, time: 0, key: '', account: '', ms: 0 },
    {
      time: 0,
      requestId: 'one',
      api: 'rpc',
      network: 'dev',
      method: 'eth_getStorageAt',
      key: '',
      account: '',
      status: 200,
      outcome: 'ok',
      verified: 'proof',
      units: stored['units'],
      ms: 0,
      bytesIn: JSON.stringify(call('eth_getStorageAt', [address, '0x0', 'latest'])).length,
      bytesOut: 102,
    },
  )
  assert.ok(Number(stored['units']) > 0)

  await post(rpcUrl, [call('eth_chainId'), call('eth_chainId'), call(apiKey)])
  const batch = await log.next()
  assert.equal(batch['method'], 'batch')
  assert.deepEqual(batch['methods'], { eth_chainId: 2, other: 1 })
  assert.equal(batch['calls'], 3)
  assert.equal(batch['failed'], 1)
  assert.equal(batch['outcome'], 'no_method')

  await post(`${url}/v3/wrong-key-in-the-path`, call('eth_chainId'))
  const unknown = await log.next()
  assert.equal(unknown['status'], 401)
  assert.equal(unknown['outcome'], 'bad_key')
  assert.equal(unknown['key'], undefined)

  await post(rpcUrl, 'no call')
  assert.equal((await log.next())['outcome'], 'bad_envelope')

  const form = new FormData()
  form.set('file', new Blob(['hello\n']), 'secret-name.txt')
  const headers = basicOf(server)
  const added = await fetch(`${url}/api/v0/add`, { method: 'POST', headers, body: form })
  const { Hash: cid } = (await added.json()) as { Hash: string }
  const add = await log.next()
  assert.equal(add['api'], 'ipfs')
  assert.equal(add['method'], 'add')
  assert.equal(add['key'], stored['key'])
  assert.ok(Number(add['bytesIn']) > 6)
  assert.ok(Number(add['bytesOut']) > 0)

  const raw = await fetch(`${url}/ipfs/${cid}?format=raw`, { headers })
  await raw.arrayBuffer()
  const path = await log.next()
  assert.equal(path['api'], 'gateway')
  assert.equal(path['status'], 200)
  assert.ok(Number(path['bytesOut']) > 0)

  const admin = await takeFirstRun(server)
  await admin.ask('GET', '/me')
  const me = await log.until('whoAmI')
  assert.equal(me['api'], 'admin')
  assert.ok(Number(me['bytesOut']) > 0)
  assert.equal(me['bytesIn'], 0)

  // A stream has no declared length.
  const text = JSON.stringify({ email: 'ada@example.org', password: 'not the password' })
  await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, 'x-cairn-admin': '1' },
    body: new Blob([text]).stream(),
    duplex: 'half',
  })
  assert.equal((await log.until('signIn'))['bytesIn'], text.length)

  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v3/${apiKey}`)
  await once(socket, 'open')
  socket.send(JSON.stringify(call('eth_chainId')))
  const frame = await log.next()
  assert.equal(frame['transport'], 'websocket')
  assert.equal(frame['status'], undefined)
  assert.equal(frame['method'], 'eth_chainId')
  socket.close()

  const whole = log.texts.join('\n')
  for (const secret of [
    apiKey,
    apiKeySecret,
    cid,
    address,
    'secret-name',
    'wrong-key',
    '127.0.0',
  ]) {
    assert.doesNotMatch(whole, new RegExp(secret))
  }
})

test('the log is off by default', async (t) => {
  const server = await startCairn()
  t.after(() => server.stop())
  const { texts } = follow(server)
  await server.rpc('eth_chainId')
  await server.stop()
  assert.deepEqual(texts, [])
})

test('a file is rotated by size, and opened again on SIGHUP; every line arrives before the server has stopped', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'access.log')
  const server = await start(t, {
    CAIRN_ACCESS_LOG_FILE: file,
    CAIRN_ACCESS_LOG_FILE_BYTES_MAX: '4096',
    CAIRN_ACCESS_LOG_FILES_MAX: '100',
  })
  for (let number = 0; number < 40; number++) await server.rpc('eth_chainId')
  await rename(file, `${file}.old`)
  server.child.kill('SIGHUP')
  let calls = 40
  for (let isThere = false; !isThere; calls++) {
    await server.rpc('eth_chainId')
    isThere = (await readdir(folder)).includes('access.log')
  }
  await server.stop()
  const names = await readdir(folder)
  assert.ok(names.length > 3)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  assert.ok(texts.every((text) => text.length < 4096 + 1024))
  const lines = texts.flatMap((text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
  assert.equal(lines.length, calls)
})

test('a reader that does not read, and a full disk, delay no request', async (t) => {
  await t.test('standard output that is not read', async (t) => {
    const server = await start(t, {})
    const { child } = server
    assert.ok(child.stdout)
    child.stdout.pause()
    // Several times the capacity of a pipe and a stream.
    for (let round = 0; round < 20; round++) {
      const ask = () => server.rpc('eth_chainId')
      const replies = await Promise.all(Array.from({ length: 100 }, ask))
      for (const { result } of replies) assert.equal(result, '0x539')
    }
    child.stdout.resume()
  })
  await t.test('a full disk', async (t) => {
    const server = await start(t, {
      CAIRN_ACCESS_LOG_FILE: '/dev/full',
      CAIRN_METRICS_LOCAL: 'true',
    })
    assert.deepEqual((await server.rpc('eth_chainId')).result, '0x539')
    let dropped: number | null = 0
    while (dropped === 0) {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      dropped = parseMetrics(text).valueOf('cairn_access_log_dropped_lines_total', {})
    }
    assert.equal(dropped, 1)
  })
})

test('a file that cannot be written ends the start with a sentence', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const CAIRN_ACCESS_LOG_FILE = join(dataDir, 'absent', 'access.log')
  await assert.rejects(
    startCairn({ dataDir, env: { ...on, CAIRN_ACCESS_LOG_FILE } }),
    /cannot write accessLog\.file .*: there is no such file or folder: create its folder/,
  )
})

test('the log names version, folder, networks and listeners when the server starts, and says when it has stopped', async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const args = [bin, 'start', '--port', '0', '--data-dir', dataDir, '--json']
  const env = { ...process.env, CAIRN_ADMIN_HOST: '127.0.0.1', CAIRN_ADMIN_PORT: '0' }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(JSON.parse(line) as Line)
    if (lines.at(-1)?.['event'] === 'started') child.kill('SIGTERM')
  }
  const started = lines.find(({ event }) => event === 'started')
  assert.equal(started?.['version'], '0.1.0')
  assert.equal(started['dataDir'], dataDir)
  assert.deepEqual(started['networks'], ['dev'])
  const [apis, admin] = started['listeners'] as readonly { serves: unknown; url: string }[]
  assert.deepEqual(apis?.serves, ['rpc', 'ipfs'])
  assert.equal(apis.url, started['url'])
  assert.deepEqual(admin?.serves, ['admin'])
  assert.equal(`${admin.url}/dashboard`, started['dashboard'])
  assert.equal(lines.at(-1)?.['event'], 'stopped')
})
