import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { missingKubo, startKubo } from '../../../test/engines/kubo.ts'
import { runCli, temporaryFolder } from '../../../test/started-server.ts'
import { settingsSchema } from '../../config/settings.ts'
import { checkIpfsNetwork } from './ipfs-network-checks.ts'
import type { Machine } from './machine.ts'
import { queryIpfsNetwork } from './query-ipfs-network.ts'

async function serve(
  t: TestContext,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

function settingsOf(ipfsNetwork: object, port = 0) {
  const settings = settingsSchema.parse({ ipfsNetwork, http: { port } })
  return { ...settings, networks: null, fileSources: [] }
}

type Given = {
  readonly port?: number
  readonly machine?: Partial<Pick<Machine, 'tryListen' | 'negotiate'>>
  readonly running?: boolean
  readonly probeMs?: number
}

const sound: Pick<Machine, 'tryListen' | 'negotiate'> = {
  tryListen: async () => null,
  negotiate: async () => ({ protocol: 'h2', failure: null }),
}

async function diagnose(ipfsNetwork: object, options: Given = {}) {
  const config = settingsOf({ routers: [], dht: 'off', ...ipfsNetwork }, options.port)
  const machine = { ...sound, ...options.machine }
  const probe =
    options.probeMs === undefined ? null : { ms: options.probeMs, path: process.env['PATH'] }
  const queried = await queryIpfsNetwork(config, machine, probe)
  const problems = await Array.fromAsync(
    checkIpfsNetwork(queried, machine, config, options.running === true),
  )
  return { queried, problems, codes: problems.map(({ code }) => code) }
}

test('while the network is off, nothing is asked', async () => {
  const { queried, codes } = await diagnose({ mode: 'off', routers: ['http://127.0.0.1:1'] })
  assert.equal(queried, null)
  assert.deepEqual(codes, [])
})

test('a router that does not answer is a warning, one without providers is none', async (t) => {
  const [well, broken] = [await serve(t, 404, ''), await serve(t, 500, '')]
  const routers = [well, broken, 1].map((port) => `http://127.0.0.1:${port}`)
  const { problems } = await diagnose({ mode: 'fetch', routers })
  assert.deepEqual(
    problems.map(({ code, level }) => [code, level]),
    [
      ['router_silent', 'warning'],
      ['router_silent', 'warning'],
    ],
  )
  assert.match(problems[0]?.text ?? '', /status 500/)
})

test('a server whose network is down is a problem', async (t) => {
  const port = await serve(t, 200, '{"status":"ready","details":["network_down"]}')
  assert.deepEqual((await diagnose({ mode: 'fetch' }, { port })).codes, ['network_down'])
  const ready = await serve(t, 200, '{"status":"ready"}')
  assert.deepEqual((await diagnose({ mode: 'fetch' }, { port: ready })).codes, [])
})

test('a clock that all routers contradict is a warning', async (t) => {
  const hour = new Date(Date.now() + 3_600_000).toUTCString()
  const late = `http://127.0.0.1:${await serve(t, 200, '', { date: hour })}`
  const right = `http://127.0.0.1:${await serve(t, 200, '')}`
  const { problems } = await diagnose({ mode: 'fetch', routers: [late] })
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['clock_off'],
  )
  assert.match(problems[0]?.text ?? '', /3\d\d\d s behind the routers/)
  assert.deepEqual((await diagnose({ mode: 'fetch', routers: [late, right] })).codes, [])
})

test('a port for peers that is taken is a warning, but not the own port of a running server', async () => {
  const portTaken = {
    tryListen: async (_host: string, port: number) => (port === 4001 ? 'EADDRINUSE' : null),
  }
  const settings = { mode: 'provide', announce: ['/dns4/node.example.org/tcp/4001'] }
  assert.deepEqual((await diagnose(settings, { machine: portTaken })).codes, [
    'network_port_refused',
  ])
  assert.deepEqual((await diagnose(settings, { machine: portTaken, running: true })).codes, [])
})

for (const [name, settings, expected] of [
  ['a public name', { announce: ['/dns4/node.example.org/tcp/4001'] }, []],
  ['a private address', { announce: ['/ip4/10.0.0.7/tcp/4001'] }, ['announce_private']],
  ['nothing, on all addresses', {}, ['announce_unset']],
  ['nothing, on loopback', { listen: ['/ip4/127.0.0.1/tcp/4001'] }, ['announce_private']],
  ['nothing, in a closed network', { private: true }, []],
] as const) {
  test(`announcing ${name}: ${expected[0] ?? 'nothing is wrong'}`, async () => {
    assert.deepEqual((await diagnose({ mode: 'provide', ...settings })).codes, expected)
  })
}

test('an announced gateway must answer over HTTP/2, and is asked on request only', async () => {
  const announce = ['/dns4/gw.example.org/tcp/443/tls/http', '/dns4/node.example.org/tcp/4001']
  const reached: string[] = []
  let protocol = 'http/1.1'
  const machine = {
    negotiate: async (host: string, port: number) => {
      reached.push(`${host}:${port}`)
      return { protocol, failure: null }
    },
  }
  const settings = { mode: 'provide', announce }
  assert.deepEqual((await diagnose(settings, { machine })).codes, [])
  assert.deepEqual(reached, [])
  const old = await diagnose(settings, { machine, probeMs: 30_000 })
  assert.deepEqual(old.codes, ['announced_gateway'])
  assert.match(old.problems[0]?.text ?? '', /does not speak HTTP\/2/)
  assert.deepEqual(reached, ['gw.example.org:443'])
  protocol = 'h2'
  assert.deepEqual((await diagnose(settings, { machine, probeMs: 30_000 })).codes, [])
})

test('a DHT without a peer that answers is a warning', { timeout: 120_000 }, async () => {
  const bootstrap = [
    '/ip4/127.0.0.1/tcp/1/p2p/12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw',
  ]
  const settings = { mode: 'fetch', dht: 'client', bootstrap, private: true }
  const { queried, codes } = await diagnose(settings, { probeMs: 3000 })
  assert.deepEqual([queried?.dht?.peers, queried?.dht?.failure], [0, null])
  assert.deepEqual(codes, ['dht_silent'])
})

test('a DHT that answers is none', { timeout: 120_000, skip: missingKubo() }, async (t) => {
  const kubo = await startKubo(t)
  const settings = { mode: 'fetch', dht: 'client', bootstrap: [kubo.address], private: true }
  const { queried, codes } = await diagnose(settings, { probeMs: 30_000 })
  assert.ok((queried?.dht?.peers ?? 0) > 0)
  assert.deepEqual(codes, [])
  // Run as a command: nothing else keeps its process alive.
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'cairn.yaml')
  const written = { dataDir: join(folder, 'data'), ipfsNetwork: { ...settings, routers: [] } }
  await writeFile(file, JSON.stringify(written), { mode: 0o600 })
  const printed = await runCli(['doctor', '--ipfs-network', '--config', file, '--json'])
  assert.ok((printed['ipfsNetwork'] as { dht: { peers: number } }).dht.peers > 0)
})
