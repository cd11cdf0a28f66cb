// Two servers with the same keys and one Valkey.
import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { missingValkey, startValkey } from '../engines/valkey.ts'
import { until } from '../fakes/until.ts'
import { startCairn, temporaryFolder } from '../started-server.ts'

const skip = missingValkey()

async function startTwo(t: TestContext, env: Record<string, string>) {
  const [first, second] = [await temporaryFolder(), await temporaryFolder()]
  t.after(async () => {
    for (const dataDir of [first, second]) await rm(dataDir, { recursive: true, force: true })
  })
  const made = await startCairn({ dataDir: first })
  const { apiKey } = made
  await made.stop()
  await cp(first, second, { recursive: true })
  const servers = [
    await startCairn({ dataDir: first, env }),
    await startCairn({ dataDir: second, env }),
  ] as const
  t.after(async () => {
    for (const server of servers) await server.stop()
  })
  return { servers, apiKey }
}

async function post(url: string, key: string, calls: number) {
  const batch = Array.from({ length: calls }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_blockNumber',
    params: [],
  }))
  const reply = await fetch(`${url}/v3/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  })
  const body = (await reply.json()) as readonly { readonly error?: { readonly code: number } }[]
  return { status: reply.status, code: body[0]?.error?.code ?? null }
}

test(
  'two servers spend one rate of a key, go on while Valkey is away, and share again',
  { skip, timeout: 300_000 },
  async (t) => {
    const valkey = await startValkey(t)
    const env = {
      CAIRN_SHARED_URL: valkey.url,
      CAIRN_HTTP_KEY_RATES: 'free',
      CAIRN_METRICS_LOCAL: 'true',
    }
    const { servers, apiKey } = await startTwo(t, env)
    const [one, other] = servers
    const metric = async (name: string) => {
      const text = await (await fetch(`${one.url}/metrics`)).text()
      return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]
    }
    await until(async () => assert.equal(await metric('cairn_nodes'), '2'))
    assert.equal(await metric('cairn_nodes_shared'), '1')
    // 4801 units each; the burst is 8001.
    assert.deepEqual(await post(one.url, apiKey, 60), { status: 200, code: null })
    assert.deepEqual(await post(other.url, apiKey, 60), { status: 429, code: -32005 })
    await valkey.kill()
    await until(async () => assert.equal(await metric('cairn_nodes_shared'), '0'))
    await until(async () => assert.equal((await post(other.url, apiKey, 1)).status, 200))
    await valkey.start()
    await until(async () => assert.equal(await metric('cairn_nodes_shared'), '1'))
  },
)

/** Writes the URL of each module of the client to the log. */
const watchModules = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (/src\\/valkey\\/|@redis/.test(url)) process.stderr.write('loaded ' + url + '\\n')
    return next(url, context)
  },
})`)}`
const nodeArgs = ['--import', watchModules]

test('a server whose Valkey is not there starts and serves', async (t) => {
  const env = { CAIRN_SHARED_URL: 'valkey://127.0.0.1:1', CAIRN_NODE_NAME: 'alone' }
  const server = await startCairn({ env, nodeArgs })
  t.after(() => server.stop())
  assert.equal((await server.rpc('eth_chainId')).result, '0x539')
  await until(() => assert.match(server.log(), /node_joined.*alone/))
  assert.match(server.log(), /loaded .*@redis/)
})

test('a server that shares nothing loads no client of Valkey', async (t) => {
  const server = await startCairn({ nodeArgs })
  t.after(() => server.stop())
  assert.equal((await server.rpc('eth_chainId')).result, '0x539')
  assert.doesNotMatch(server.log(), /loaded/)
})
