// A server in front of a node that pushes its heads, with polls too far apart to matter: a pushed head is served
// before subscribers receive it, a reload closes removed connections, and a stop closes all.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parseMetrics } from '../fakes/metrics-text.ts'
import { openStubChain, type StubBlock } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream, type StubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { openWebSocket, type WebSocketClient } from '../fakes/web-socket-client.ts'
import { rpc, startCairn, temporaryFolder } from '../started-server.ts'

const settingsOf = (stub: StubUpstream, chainId: bigint, member = '') => `rpc: {requestMs: 1000}
networks:
  - name: recorded
    chainId: ${chainId}
    heads: {pollMs: 600000, maxAgeMs: 86400000}
    upstreams:
      - {url: "${stub.url}/v1?key=node-key", name: node, headers: {x-token: node-token}${member}}
`

async function start(t: TestContext, pushes: boolean) {
  const chain = await openStubChain()
  const stub = await startStubUpstream(t, chain, { blocks: 44, knobs: { pushes } })
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'cairn.yaml')
  const write = (member = ''): void => {
    writeFileSync(`${file}.new`, settingsOf(stub, chain.chainId, member))
    renameSync(`${file}.new`, file)
  }
  write()
  const server = await startCairn({
    dataDir,
    args: ['--config', file],
    env: { CAIRN_METRICS_LOCAL: 'true' },
  })
  t.after(() => server.stop())
  const latest = async (): Promise<string> => {
    const params = ['latest', false]
    const { result } = await rpc(server.url, server.apiKey, 'eth_getBlockByNumber', params)
    return (result as { hash: string }).hash
  }
  return { chain, stub, server, latest, write }
}

async function untilHead(client: WebSocketClient, { hash }: StubBlock): Promise<void> {
  for (;;) {
    const { params } = await client.nextJson<{ params: { result: { hash: string } } }>()
    if (params.result.hash === hash) return
  }
}

test('a pushed head is served before subscribers get it, also after a reorg', async (t) => {
  const { chain, stub, server, latest } = await start(t, true)
  await stub.pusher.until(() => stub.pusher.subscribed === 1)
  await latest()
  const { valueOf } = parseMetrics(await (await fetch(`${server.url}/metrics`)).text())
  const labels = { network: 'recorded', upstream: 'node' }
  assert.equal(valueOf('cairn_upstream_heads_pushed', labels), 1)
  assert.ok((valueOf('cairn_network_head_confirmed_seconds', { network: 'recorded' }) ?? -1) >= 0)
  const [{ path, headers } = { path: '', headers: {} }] = stub.pusher.upgrades
  assert.deepEqual([path, headers['x-token']], ['/v1?key=node-key', 'node-token'])
  const client = await openWebSocket(`${server.url}/ws/v3/${server.apiKey}`)
  t.after(() => client.close())
  await client.ask('eth_subscribe', 'newHeads')
  const head = stub.advance()
  await untilHead(client, head)
  assert.equal(await latest(), head.hash)
  const branch = await chain.extend(chain.recorded[43] as StubBlock, { count: 4, salt: 7 })
  stub.follow(branch)
  await untilHead(client, branch.at(-1) as StubBlock)
  assert.equal(await latest(), branch.at(-1)?.hash)
  await server.stop()
  await stub.pusher.until(() => stub.pusher.open === 0)
})

test('without WebSockets the head is polled; a reload opens the new connections and closes the removed ones', async (t) => {
  const { stub, server, latest, write } = await start(t, false)
  assert.equal(await latest(), stub.view.head.hash)
  assert.equal(stub.pusher.open, 0)
  stub.knobs.pushes = true
  write(`, wsUrl: "${stub.url.replace('http', 'ws')}/heads"`)
  server.child.kill('SIGHUP')
  await stub.pusher.until(() => stub.pusher.subscribed === 1)
  assert.equal(stub.pusher.upgrades[0]?.path, '/heads')
  write(', wsUrl: null')
  server.child.kill('SIGHUP')
  await stub.pusher.until(() => stub.pusher.open === 0)
  assert.equal(stub.pusher.upgrades.length, 1)
  assert.equal(await latest(), stub.view.head.hash)
})
