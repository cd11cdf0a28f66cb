// A server with worker processes, as a user starts it: all APIs at one address, workers answer calls, the keeper everything else;
// usage, limits and revocation as with one process; restarts and kills cost no call.
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { WebSocketClient } from '../fakes/web-socket-client.ts'
import { type Started, rpc, startCairn, temporaryFolder } from '../started-server.ts'

type Role = 'keeper' | 'worker'

type Group = {
  readonly cairn: Started
  readonly config: string
  /** Number of processes started so far. */
  started(role: Role): number
  /** IDs of the running processes, newest last. */
  pids(role: Role): readonly number[]
}

const deadlineMs = 30_000
/** A worker without connections drains sooner. */
const drainMs = 1000

/** Waits until `read` returns something. */
async function until<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  withinMs = deadlineMs,
): Promise<Value> {
  const end = Date.now() + withinMs
  for (;;) {
    const value = await read()
    if (value) return value
    if (Date.now() > end) throw new Error(`${what}: not within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function lines(cairn: Started): readonly Record<string, unknown>[] {
  return cairn
    .log()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const events = (cairn: Started, event: string) =>
  lines(cairn).filter((line) => line['event'] === event)

let chain: Started
/** For tests that leave a group as it was: two workers, a keeper, and the same settings. */
let group: Group
before(async () => {
  chain = await startCairn()
  group = await openGroup()
})
after(async () => {
  const code = await group.cairn.stop()
  await rm(group.cairn.dataDir, { recursive: true, force: true })
  await chain.stop()
  assert.equal(code, 0)
})

/** A group for a test that changes it. */
async function startGroup(t: TestContext): Promise<Group> {
  const own = await openGroup()
  t.after(async () => {
    await own.cairn.stop()
    await rm(own.cairn.dataDir, { recursive: true, force: true })
  })
  return own
}

/** A server with two workers that serves the dev chain of all tests as `chain`; its own is `dev`. */
async function openGroup(): Promise<Group> {
  const dataDir = await temporaryFolder()
  const config = join(dataDir, 'settings.yaml')
  const networks = [
    {
      name: 'chain',
      chainId: 1337,
      heads: { pollMs: 100 },
      upstreams: [{ url: `${chain.url}/v3/${chain.apiKey}`, trusted: true }],
    },
    { name: 'dev', embedded: true },
  ]
  await writeFile(config, JSON.stringify({ workers: 2, metrics: { local: true }, networks }))
  const cairn = await startCairn({ dataDir, args: ['--config', config] })
  const all = (role: Role) =>
    events(cairn, 'process_started')
      .filter((line) => line['role'] === role)
      .map(({ pid }) => Number(pid))
  return {
    cairn,
    config,
    started: (role) => all(role).length,
    pids: (role) => all(role).filter(isRunning),
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

type Usage = { readonly usage: readonly { readonly method: string; readonly requests: number }[] }

async function requestsIn(cairn: Started, method: string): Promise<number> {
  const { usage } = (await cairn.cli('usage')) as unknown as Usage
  return usage
    .filter((row) => row.method === method)
    .reduce((sum, { requests }) => sum + requests, 0)
}

test('calls, files, the dev chain, the dashboard and sockets have one address', async () => {
  const { cairn } = group
  const { url, apiKey, apiKeySecret } = cairn
  assert.deepEqual(await rpc(url, apiKey, 'eth_chainId'), {
    jsonrpc: '2.0',
    id: 1,
    result: '0x539',
  })
  const own = await rpc(`${url}/dev`, apiKey, 'eth_chainId')
  assert.deepEqual(own.result, '0x539')
  const form = new FormData()
  form.append('file', new Blob(['hello cairn\n']))
  const authorization = `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')}`
  const added = await fetch(`${url}/api/v0/add`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  const { Hash: cid } = (await added.json()) as { readonly Hash: string }
  const read = await fetch(`${url}/api/v0/cat?arg=${cid}`, {
    method: 'POST',
    headers: { authorization },
  })
  assert.equal(await read.text(), 'hello cairn\n')
  assert.equal((await fetch(`${url}/dashboard`)).status, 200)
  assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'ready' })
  for (const path of ['ws', 'dev/ws']) {
    const socket = new WebSocketClient(
      new WebSocket(`${url.replace('http', 'ws')}/${path}/v3/${apiKey}`),
    )
    await new Promise((resolve) => socket.socket.once('open', resolve))
    socket.socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
    assert.equal((await socket.nextJson())['result'], '0x539')
    socket.socket.close()
  }
})

test('each call counts once, whichever process answers it', async () => {
  const { cairn } = group
  for (let n = 0; n < 40; n++) {
    // A new connection each time, so that the workers alternate. No other test here calls this method.
    const agent = new Agent()
    assert.equal((await send(cairn, 'eth_blockNumber', agent)).status, 200)
  }
  await until('40 calls', async () => (await requestsIn(cairn, 'eth_blockNumber')) === 40)
  const text = await (await fetch(`${cairn.url}/metrics`)).text()
  assert.match(text, /cairn_requests_total\{[^}]*eth_blockNumber[^}]*\} 40\n/)
})

type Reply = { readonly status: number; readonly text: string }

/** Sends one call with the first key on a connection of `agent`. */
function send(cairn: Started, method: string, agent: Agent, params = '[]'): Promise<Reply> {
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
  const { hostname, port } = new URL(cairn.url)
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const path = `/v3/${cairn.apiKey}`
  return new Promise((resolve, reject) => {
    const sent = request({ method: 'POST', host: hostname, port, path, headers, agent })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += String(part)))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })
}

/** CAIRN_RESTART_CALLS: number of calls for a longer run. */
const callsMin = Number(process.env['CAIRN_RESTART_CALLS'] ?? 50_000)

test(`two rolling restarts and a killed keeper fail none of ${callsMin} calls`, async (t) => {
  const { cairn, pids, started } = await startGroup(t)
  const socket = new WebSocketClient(
    new WebSocket(`${cairn.url.replace('http', 'ws')}/ws/v3/${cairn.apiKey}`),
  )
  await new Promise((resolve) => socket.socket.once('open', resolve))
  const began = performance.now()
  let calls = 0
  let isOver = false
  const wrong: string[] = []
  async function client(isKept: boolean): Promise<void> {
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver || calls < callsMin) {
      const agent = isKept ? kept : new Agent()
      const { status, text } = await send(cairn, 'eth_chainId', agent)
      calls++
      if (status !== 200 || text !== '{"jsonrpc":"2.0","id":1,"result":"0x539"}') {
        wrong.push(`${status} ${text}`)
      }
    }
    kept.destroy()
  }
  const clients = Promise.all(Array.from({ length: 12 }, (_, n) => client(n < 10)))
  // The error is reported when it is awaited.
  clients.catch(() => {})
  /** Waits until `count` quarters of the calls have completed. */
  const quarter = (count: number) =>
    until(`quarter ${count}`, () => calls >= (count * callsMin) / 4, deadlineMs + callsMin)
  for (const round of [1, 2]) {
    await quarter(round)
    cairn.child.kill('SIGUSR2')
    await until(`restart ${round}`, () => events(cairn, 'restarted').length === round)
  }
  await quarter(3)
  process.kill(pids('keeper').at(-1) ?? 0, 'SIGKILL')
  await until('another keeper', () => started('keeper') === 4)
  isOver = true
  await clients
  assert.deepEqual(wrong, [])
  assert.deepEqual(await socket.ended, { code: 1012, reason: 'the server is stopping' })
  const counted = await until('all calls', async () => {
    const sum = await requestsIn(cairn, 'eth_chainId')
    return sum >= calls ? sum : 0
  })
  assert.equal(counted, calls)
  assert.equal(started('worker'), 6)
  t.diagnostic(
    `${calls} calls in ${Math.round(performance.now() - began)} ms, ${wrong.length} wrong`,
  )
})

test('a connection on its way to a worker that ends goes to another one', async () => {
  const { cairn, pids } = group
  const [pid = 0] = pids('worker')
  const restarts = events(cairn, 'restarted').length
  const of = (event: string) => events(cairn, event).some((line) => line['pid'] === pid)
  process.kill(pid, 'SIGSTOP')
  cairn.child.kill('SIGUSR2')
  await until('the stop of the worker', () => of('process_stopping'))
  // The primary accepts connections after the worker has closed its listener, and learns of that later.
  cairn.child.kill('SIGSTOP')
  const replies = Array.from({ length: 8 }, () => send(cairn, 'eth_chainId', new Agent()))
  process.kill(pid, 'SIGCONT')
  // It must not exit without the primary's reply; Linux shows an exited process as Z until its parent has read its status.
  const hasEnded = async () =>
    / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  await until('the end of the worker', hasEnded, drainMs).catch(() => {})
  assert.equal(await hasEnded(), false)
  cairn.child.kill('SIGCONT')
  for (const { status } of await Promise.all(replies)) assert.equal(status, 200)
  await until('the restart', () => events(cairn, 'restarted').length > restarts)
})

test('a connection on its way to a worker that is killed goes to another one', async () => {
  const { cairn, pids, started } = group
  const [pid = 0] = pids('worker')
  const before = started('worker')
  process.kill(pid, 'SIGSTOP')
  let replied = 0
  const replies = Array.from({ length: 8 }, async () => {
    const reply = await send(cairn, 'eth_chainId', new Agent())
    replied += 1
    return reply
  })
  // The last one is on its way to the stopped worker.
  await until('the others', () => replied === 7)
  process.kill(pid, 'SIGKILL')
  await until('the last', () => replied === 8)
  for (const { status } of await Promise.all(replies)) assert.equal(status, 200)
  await until('another worker', () => started('worker') === before + 1)
})

test('a server with workers keeps them until the operator starts it without', async (t) => {
  const { cairn, config } = group
  const settings = await readFile(config, 'utf8')
  t.after(() => writeFile(config, settings))
  await writeFile(config, JSON.stringify({ ...(JSON.parse(settings) as object), workers: 0 }))
  const line = await until('the warning', () => events(cairn, 'settings_need_restart')[0])
  assert.deepEqual(line?.['settings'], ['workers'])
  assert.equal((await rpc(cairn.url, cairn.apiKey, 'eth_chainId')).result, '0x539')
})

test('a worker that is killed is replaced, and its place is served', async () => {
  const { cairn, pids, started } = group
  const before = started('worker')
  // All of them, so that a new one answers.
  for (const pid of pids('worker')) process.kill(pid, 'SIGKILL')
  await until('other workers', () => started('worker') === before + 2)
  const reply = await until('a reply', () =>
    rpc(cairn.url, cairn.apiKey, 'eth_chainId').catch(() => null),
  )
  assert.equal(reply?.result, '0x539')
})

test('while the keeper restarts, calls go on and files wait', async () => {
  const { cairn, pids, started } = group
  const before = started('keeper')
  const [pid = 0] = pids('keeper')
  assert.ok((await rpc(cairn.url, cairn.apiKey, 'eth_getBlockByNumber', ['latest', false])).result)
  process.kill(pid, 'SIGKILL')
  // Until then the operating system queues connections for it.
  await until('the end', () => events(cairn, 'process_ended').some((line) => line['pid'] === pid))
  const during = await rpc(cairn.url, cairn.apiKey, 'eth_chainId')
  assert.equal(during.result, '0x539')
  const waited = await fetch(`${cairn.url}/livez`)
  assert.equal(waited.status, 200)
  assert.equal(started('keeper'), before + 1)
})

test('a key has one rate in all workers, and is refused in all soon after it is revoked', async () => {
  const { cairn } = group
  const made = (await cairn.cli('keys', 'create', '--units-per-second', '10')) as {
    readonly apiKey: string
    readonly id: string
  }
  const limited = { ...cairn, apiKey: made.apiKey }
  const replies = await Promise.all(
    Array.from({ length: 150 }, () => send(limited, 'eth_getBalance', new Agent(), balanceOf)),
  )
  assert.ok(replies.every(({ status }) => status === 200 || status === 429))
  // A burst of 8001 units, and 80 units per call.
  assert.equal(replies.filter(({ status }) => status === 200).length, 100)
  await cairn.cli('keys', 'revoke', made.id)
  await until('the refusal', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => send(limited, 'eth_chainId', new Agent())),
    )
    return all.every(({ status }) => status === 401)
  })
})

const balanceOf = '["0x00000000000000000000000000000000000000aa","latest"]'

test('filters work on every connection', async () => {
  const { cairn } = group
  const call = async (method: string, params: string) => {
    const { text } = await send(cairn, method, new Agent(), params)
    return JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown }
  }
  for (const made of ['eth_newBlockFilter', 'eth_newPendingTransactionFilter']) {
    const { result: id } = await call(made, '[]')
    for (let n = 0; n < 4; n++) {
      const { result } = await call('eth_getFilterChanges', JSON.stringify([id]))
      assert.deepEqual(result, [], made)
    }
  }
})

test('a changed settings file is applied in all processes, also what needs a restart', async (t) => {
  const { cairn, config, started } = await startGroup(t)
  /** Whether a batch of this many calls is accepted. */
  async function batch(calls: number): Promise<boolean> {
    const one = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
    const reply = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(Array.from({ length: calls }, () => one)),
      signal: AbortSignal.timeout(deadlineMs),
    })
    return !(await reply.text()).includes('error')
  }
  assert.equal(await batch(3), true)
  const text = await readFile(config, 'utf8')
  const changed = { ...(JSON.parse(text) as object), rpc: { batchItemsMax: 2 } }
  await writeFile(config, JSON.stringify(changed))
  await until('the limit', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => batch(3)))
    return all.every((isAccepted) => !isAccepted)
  })
  assert.equal(started('worker'), 2)
  await writeFile(config, JSON.stringify({ ...changed, workers: 1 }))
  await until('the restart', () => events(cairn, 'restarted').length === 1)
  assert.equal(started('worker'), 3)
  assert.equal(await batch(2), true)

  // A keeper that cannot start is started again.
  const occupied = createServer()
  await new Promise<void>((resolve) => occupied.listen(0, '127.0.0.1', resolve))
  const { port } = occupied.address() as AddressInfo
  const admin = { host: '127.0.0.1', port }
  await writeFile(config, JSON.stringify({ ...changed, workers: 1, admin }))
  await until('the failure', () => events(cairn, 'restart_failed').length === 1)
  assert.equal(await batch(2), true)
  await new Promise((resolve) => occupied.close(resolve))
  await until('the keeper', async () => {
    const live = await fetch(`http://127.0.0.1:${port}/dashboard`).catch(() => null)
    return live?.status === 200
  })
})

test('a killed primary leaves no process, and the folder starts again', async (t) => {
  const { cairn, config, pids } = await startGroup(t)
  const children = [...pids('keeper'), ...pids('worker')]
  assert.equal(children.length, 3)
  await cairn.kill()
  await until('the end of all', () => children.every((pid) => !isRunning(pid)))
  const again = await startCairn({ dataDir: cairn.dataDir, args: ['--config', config] })
  t.after(() => again.stop())
  assert.equal((await rpc(again.url, cairn.apiKey, 'eth_chainId')).result, '0x539')
})

test('a port in use is one sentence, and leaves no process', async (t) => {
  const { cairn, config } = group
  const { port } = new URL(cairn.url)
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await assert.rejects(
    startCairn({ dataDir, args: ['--config', config, '--port', port] }),
    /cannot listen on 127\.0\.0\.1:\d+: another program uses this port/,
  )
  await assert.rejects(
    startCairn({ dataDir: cairn.dataDir, args: ['--config', config] }),
    /another Cairn server is running on/,
  )
})
